// Measures the landing page of a running product with Lighthouse's phone profile and fails if the median score of
// a category is too low. E2E_BASE_URL is the product's URL.
// Usage: node measure.mjs [RUNS]
import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

import { launch } from 'chrome-launcher'
import lighthouse from 'lighthouse'

const least = { performance: 97, accessibility: 100, 'best-practices': 100, seo: 100 }
const shown = [
  'first-contentful-paint',
  'largest-contentful-paint',
  'total-blocking-time',
  'speed-index',
  'cumulative-layout-shift',
]
const url = new URL('/', process.env.E2E_BASE_URL ?? 'http://127.0.0.1:8080').href
const runs = Number(process.argv[2] ?? 5)

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]

/** Returns the share of one second in which the CPUs were idle. */
async function idleShare() {
  const sum = () =>
    cpus()
      .flatMap(({ times }) => Object.entries(times))
      .reduce(({ idle, all }, [kind, ms]) => ({ idle: idle + (kind === 'idle' ? ms : 0), all: all + ms }), {
        idle: 0,
        all: 0,
      })
  const before = sum()
  await sleep(1_000)
  const after = sum()
  return (after.idle - before.idle) / (after.all - before.all)
}

/** Waits up to a minute until the machine is mostly idle, because other load would lower the scores. */
async function calm() {
  let idle = await idleShare()
  for (let second = 1; second < 60 && idle < 0.6; second++) idle = await idleShare()
  return Math.round(100 * idle)
}

async function measure() {
  const chrome = await launch({
    chromePath: process.env.CHROME_PATH ?? '/usr/bin/chromium',
    chromeFlags: [
      '--headless=new',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  })
  try {
    const { lhr } = await lighthouse(url, { port: chrome.port, onlyCategories: Object.keys(least), logLevel: 'error' })
    if (lhr.runtimeError) throw new Error(lhr.runtimeError.message)
    return lhr
  } finally {
    chrome.kill()
  }
}

const scoreOf = (report, name) => Math.round(report.categories[name].score * 100)

/** What cost points, so that a failure says what to do. */
function faults({ categories, audits }) {
  const weighed = Object.values(categories).flatMap(({ auditRefs }) => auditRefs.filter(({ weight }) => weight > 0))
  return weighed.map(({ id }) => audits[id]).filter(({ score }) => score !== null && score < 0.9)
}

const reports = []
for (let run = 1; run <= runs; run++) {
  const idle = await calm()
  const report = await measure()
  reports.push(report)
  const scores = Object.keys(least).map((name) => `${name} ${scoreOf(report, name)}`)
  const times = shown.map((id) => `${id} ${report.audits[id].displayValue}`)
  console.log(`${run}. ${scores.join(', ')}; ${times.join(', ')}; the machine was ${idle} % idle before`)
  for (const { id, title, displayValue = '' } of faults(report)) console.log(`     ${id}: ${title} ${displayValue}`)
}

let failed = false
for (const [name, limit] of Object.entries(least)) {
  const score = median(reports.map((report) => scoreOf(report, name)))
  failed ||= score < limit
  console.log(`${score < limit ? 'too low' : 'fine'}: ${name} ${score}, at least ${limit}`)
}
process.exit(failed ? 1 : 0)
