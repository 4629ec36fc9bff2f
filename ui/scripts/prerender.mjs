// Draws the landing page into dist/landing.html, so that its first paint needs no script.
// Runs after vite build, in ui/.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'

import { build } from 'vite'

const place = '<!--page-->'
const page = 'dist/landing.html'

/** Builds the page for Node, and lets it draw itself. */
async function draw() {
  const outDir = await mkdtemp('node_modules/.prerender-')
  try {
    await build({
      logLevel: 'warn',
      define: { 'location.origin': '""' }, // the HTTP client's; nobody calls it here
      build: { ssr: 'src/landing/prerender.tsx', outDir, copyPublicDir: false, manifest: false },
      ssr: { noExternal: true },
    })
    const { render } = await import(pathToFileURL(`${outDir}/prerender.js`).href)
    return render()
  } finally {
    await rm(outDir, { recursive: true })
  }
}

/** Styles first: the page is there without its scripts, which may wait for a slow line. */
const stylesFirst = (html) =>
  html.replace(/<(script type="module"|link rel="modulepreload")/g, '<$1 fetchpriority="low"')

const html = await readFile(page, 'utf8')
if (!html.includes(place)) throw new Error(`${page} has no ${place}`)
const drawn = await draw()
await writeFile(
  page,
  stylesFirst(html).replace(place, () => drawn), // a function, for prices have dollars
)
