// Measures the scripts and styles that the landing page loads at first, compressed as they are sent, and
// fails above the limit. Runs in ui/ at the end of the build.
import { readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'

const limit = 160 * 1024
const scriptLimit = 105_000 // 1.5 times React alone
const entry = 'landing.html'

const manifest = JSON.parse(await readFile('dist/.vite/manifest.json', 'utf8'))
const html = await readFile(`dist/${entry}`, 'utf8')

/** The files of a chunk and of all its static imports. */
function filesOf(name, seen = new Set()) {
  if (seen.has(name)) return []
  seen.add(name)
  const { file, css = [], imports = [] } = manifest[name]
  return [file, ...css, ...imports.flatMap((other) => filesOf(other, seen))]
}

// The page may reference more files than the manifest lists: public files, and those added by a plugin.
const named = [...html.matchAll(/(?:src|href)="\/([^"]+\.(?:js|css))"/g)].map(([, file]) => file)
const files = [...new Set([...filesOf(entry), ...named])]

const weights = await Promise.all(
  files.map(async (file) => ({ file, bytes: gzipSync(await readFile(`dist/${file}`), { level: 6 }).length })),
)
const total = weights.reduce((sum, { bytes }) => sum + bytes, 0)
const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`

for (const { file, bytes } of weights.toSorted((a, b) => b.bytes - a.bytes)) console.log(`  ${file}: ${kib(bytes)}`)
console.log(`/ loads ${kib(total)} of scripts and styles at first; ${kib(limit)} are allowed`)
const scripts = weights.filter(({ file }) => file.endsWith('.js')).reduce((sum, { bytes }) => sum + bytes, 0)
console.log(`${kib(scripts)} of it are scripts; ${kib(scriptLimit)} are allowed`)
if (total > limit || scripts > scriptLimit) process.exit(1)
