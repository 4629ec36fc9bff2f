// Prerenders the landing page into dist/landing.html, so that its first paint needs no script. Runs in ui/
// after vite build.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'

import { build } from 'vite'

const place = '<!--page-->'
const page = 'dist/landing.html'

/** Builds the page for Node and renders it. */
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

/** Styles load first: the prerendered page is usable before its scripts have loaded. */
const stylesFirst = (html) =>
  html.replace(/<(script type="module"|link rel="modulepreload")/g, '<$1 fetchpriority="low"')

const html = await readFile(page, 'utf8')
if (!html.includes(place)) throw new Error(`${page} has no ${place}`)
const drawn = await draw()
await writeFile(
  page,
  // A function, because prices contain `$`, which a replacement string would interpret
  stylesFirst(html).replace(place, () => drawn),
)
