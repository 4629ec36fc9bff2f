// A proxy between the verifier's browser and the site that injects faults like those of a bad deployment.
// Usage: node breaker.mjs UP_JSON PORTS_FILE. It writes its addresses as JSON to PORTS_FILE: "site" is the
// proxy; PUT /<fault> on "control" injects a fault, DELETE / removes it.
import { readFile, rename, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'

const [upFile, portsFile] = process.argv.slice(2)
let fault = ''

/** The element that each fault adds to the head of every page. */
const intoHead = {
  'script-error': '<script src="/broken/error.js"></script>',
  'missing-landmark': '<link rel="stylesheet" href="/broken/landmark.css">',
  contrast: '<link rel="stylesheet" href="/broken/contrast.css">',
  'moved-layout': '<link rel="stylesheet" href="/broken/layout.css">',
}

const files = {
  '/broken/error.js': ['text/javascript', "throw new Error('boom of a bad deployment')"],
  '/broken/landmark.css': ['text/css', 'footer { display: none }'],
  '/broken/contrast.css': ['text/css', 'main p { color: #bbb !important; background: #fff !important }'],
  '/broken/layout.css': ['text/css', 'main { margin-top: 90px !important }'],
}

/** Returns the proxy's own response under the current fault; undefined passes the request to the site. */
function ownAnswer(path) {
  if (files[path]) return [200, ...files[path]]
  if (fault === 'missing-bundle' && /^\/assets\/.*\.js$/.test(path)) return [404, 'text/plain', 'not here']
  if (fault === 'broken-endpoint' && path === '/api/stats') return [500, 'application/json', '{}']
  return undefined
}

const alter = (html) => html.replace('</head>', `${intoHead[fault] ?? ''}</head>`)

async function passOn(incoming, outgoing) {
  const { url } = JSON.parse(await readFile(upFile, 'utf8'))
  const site = new URL(url)
  const headers = { ...incoming.headers, 'accept-encoding': 'identity' }
  const asked = request({ host: site.hostname, port: site.port, method: incoming.method, path: incoming.url, headers })
  asked.on('error', () => outgoing.destroy())
  asked.on('response', (answer) => answered(answer, outgoing))
  incoming.pipe(asked)
}

async function answered(answer, outgoing) {
  if (!answer.headers['content-type']?.startsWith('text/html')) {
    outgoing.writeHead(answer.statusCode, answer.headers)
    answer.pipe(outgoing)
    return
  }
  const html = alter(Buffer.concat(await answer.toArray()).toString('utf8'))
  const { 'content-length': _, etag: __, ...headers } = answer.headers
  outgoing.writeHead(answer.statusCode, headers).end(html)
}

const listening = (server) =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`127.0.0.1:${server.address().port}`))
  })

const site = createServer((incoming, outgoing) => {
  const own = ownAnswer(incoming.url.split('?')[0])
  if (own) outgoing.writeHead(own[0], { 'content-type': own[1] }).end(own[2])
  else passOn(incoming, outgoing).catch(() => outgoing.destroy())
})

const control = createServer((incoming, outgoing) => {
  fault = incoming.method === 'PUT' ? incoming.url.slice(1) : ''
  outgoing.writeHead(204).end()
})

const ports = { site: await listening(site), control: await listening(control) }
await writeFile(`${portsFile}.new`, JSON.stringify(ports))
await rename(`${portsFile}.new`, portsFile)
