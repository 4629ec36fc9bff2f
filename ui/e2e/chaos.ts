import { createHash } from 'node:crypto'

import { type APIRequestContext, expect, type Page } from '@playwright/test'

import type { components } from '../src/api/schema.gen'

type Schemas = components['schemas']

async function read<T>(request: APIRequestContext, path: string): Promise<T> {
  const answer = await request.get(path)
  expect(answer.ok(), await answer.text()).toBe(true)
  return answer.json()
}

export const targetOf = (request: APIRequestContext) => read<Schemas['TargetReport']>(request, '/api/chaos/target')
export const runOf = (request: APIRequestContext, id: string) =>
  read<Schemas['ChaosRun']>(request, `/api/chaos/runs/${id}`)

/** Waits until the chaos target is healthy and neither a test nor the healer is running. */
export async function calm(request: APIRequestContext) {
  const now = async () => {
    const { status, running, incident } = await targetOf(request)
    return { status, busy: running !== undefined || incident !== undefined }
  }
  await expect.poll(now).toEqual({ status: 'healthy', busy: false })
}

export const button = (page: Page, title: string) => page.getByRole('button', { name: `Break it: ${title}` })

/** Presses a button of the page and returns the server's response. */
export async function press(page: Page, title: string) {
  await expect(button(page, title)).toHaveAttribute('aria-disabled', 'false')
  const answered = page.waitForResponse(
    (response) => new URL(response.url()).pathname === '/api/chaos' && response.request().method() === 'POST',
  )
  await button(page, title).click()
  const response = await answered
  return { status: response.status(), body: await response.json() }
}

/** Presses a button and returns the ID of the run that started. */
export async function start(page: Page, title: string): Promise<string> {
  const { status, body } = await press(page, title)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.id
}

/** Waits until a run has ended and returns it. */
export async function ended(request: APIRequestContext, id: string) {
  await expect.poll(async () => (await runOf(request, id)).event.stage).toBe('ended')
  return runOf(request, id)
}

/**
 * Breaks the chaos target until both its probes and an outside check have seen it broken, and returns that run. On a busy
 * machine the supervisor may repair the chaos target between two checks; the run then reports that no probe failed.
 */
export async function witnessed(
  request: APIRequestContext,
  breakIt: () => Promise<string>,
  isBroken: () => Promise<boolean>,
) {
  for (;;) {
    let seen = false
    let over = false
    const check = async () => {
      seen ||= await isBroken()
      return seen || over
    }
    const watching = expect.poll(check, { intervals: [50] }).toBe(true)
    const run = await ended(request, await breakIt())
    over = true
    await watching
    if (seen && !run.event.reason?.startsWith('No probe failed')) return run
    await calm(request)
  }
}

/** Returns the ID of the latest run that was healed, on time or late. */
export async function lastHealed(request: APIRequestContext) {
  const { runs } = await read<Schemas['ChaosRuns']>(request, '/api/chaos/runs')
  const healed = runs.find(({ verdict }) => verdict === 'healed' || verdict === 'healed_late')
  if (healed === undefined) throw new Error('no run was healed yet')
  return healed.id
}

/** Checks the chaos target at its own address, as a visitor of it would, and not through the API. */
export function outside(request: APIRequestContext, url: string) {
  const get = (path: string, options = {}) => request.get(new URL(path, url).href, options)
  const status = async (path: string) => (await get(path)).status()
  const heartbeat = async () => (await (await get('/heartbeat')).json()) as { at: string; error?: string }
  return {
    isMissing: async (path: string) => (await status(path)) === 404,
    // The supervisor keeps the port open, so a request to a stopped target hangs instead of being refused.
    isSilent: () =>
      get('/', { timeout: 300 }).then(
        () => false,
        () => true,
      ),
    isBroken: (path: string) =>
      status(path).then(
        (code) => code !== 200,
        () => true,
      ),
    isWorkerIll: async () => ((await heartbeat()).error ?? '') !== '',
    async isWell(files: Schemas['TargetFile'][]) {
      for (const path of ['/', '/posts', '/status', '/api/bot-status']) expect(await status(path), path).toBe(200)
      for (const { name, sha256 } of files.filter((file) => file.name.startsWith('public/'))) {
        const answer = await get(name.replace('public', ''))
        expect(answer.status(), name).toBe(200)
        expect(hash(await answer.body()), name).toBe(sha256)
      }
      expect((await heartbeat()).error ?? '').toBe('')
    },
  }
}

export type Outside = ReturnType<typeof outside>

const hash = (body: Buffer) => createHash('sha256').update(body).digest('hex')

/** Recomputes the times of a run from its probe samples. */
export function counted({ probes: { samples } }: Schemas['ChaosRun']) {
  const after = samples.filter(({ ms }) => ms >= 0).toSorted((a, b) => a.ms - b.ms)
  const failed = ({ failing }: Schemas['Probe']) => failing.length > 0
  const detected = after.find(failed)
  const healed = after[after.findLastIndex(failed) + 1]
  if (detected === undefined || healed === undefined) throw new Error('the probes did not see it broken and healed')
  return { detectMs: detected.ms + detected.tookMs, healMs: healed.ms + healed.tookMs }
}

/** Returns the checks that failed in any probe since the injection. */
export function failedIn({ probes: { checks, samples } }: Schemas['ChaosRun']) {
  const places = new Set(samples.filter(({ ms }) => ms >= 0).flatMap(({ failing }) => failing))
  return checks.filter((_, place) => places.has(place))
}

/** Formats a duration as a run's page does, to the millisecond. */
export const written = (ms: number | undefined) =>
  `${new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 3 }).format((ms ?? Number.NaN) / 1_000)} s`

export const fact = (page: Page, name: string) =>
  page.getByRole('region', { name: 'The facts' }).locator('div', {
    has: page.getByRole('term').filter({ hasText: new RegExp(`^${name}$`) }),
  })
