import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, test, vi } from 'vitest'

import type { Schemas } from '@/api/client'
import { chaosEvent, chaosRun, runId } from '@/test/chaos-run'
import { cell } from '@/test/chaos-target'
import { openPage } from '@/test/render'
import { botStatus, serve } from '@/test/world'

type Capture = Schemas['TargetCapture']

const path = `/api/chaos/runs/${runId}`

beforeEach(() => serve({ '/api/bot-status': botStatus(), '/api/chaos/target': cell() }))

const capture = (moment: Capture['moment'], change: Partial<Capture> = {}): Capture => ({
  moment,
  path: '/',
  picture: `/api/verification/pictures/${moment}.png`,
  width: 1280,
  height: 800,
  failing: [],
  steady: true,
  opinion: 'healthy',
  review: 'A heading and a picture can be seen.',
  analyst: 'built-in',
  takenAt: '2026-11-22T04:00:00.4Z',
  ...change,
})

const broken = (change: Partial<Capture> = {}) =>
  capture('broken', {
    failing: ['file:public/og-image.png'],
    opinion: 'broken',
    review: 'The place of the picture is empty.',
    ...change,
  })

function open(run: Schemas['ChaosRun']) {
  serve({ [path]: run })
  return openPage(`/chaos-monkey/runs/${runId}`)
}

const pictures = async () =>
  within(await screen.findByRole('list', { name: 'Pictures of the chaos target' })).getAllByRole('listitem')
const section = () => screen.queryByRole('region', { name: 'Before, broken, healed' })

test('the chaos target is shown at three moments, in their order', async () => {
  open(chaosRun({ captures: [capture('healed'), broken(), capture('before')] }))
  const shown = await pictures()
  expect(shown.map((item) => within(item).getByRole('heading').textContent)).toEqual(['Before', 'Broken', 'Healed'])
  const [, during] = shown.map((item) => within(item))
  const picture = during?.getByRole('img', { name: 'The chaos target while it was broken' })
  expect(picture).toHaveAttribute('src', '/api/verification/pictures/broken.png')
  expect(picture).toHaveAttribute('loading', 'lazy')
  expect(picture).toHaveAttribute('width', '1280')
  expect(picture).toHaveAttribute('height', '800')
  const link = during?.getByRole('link')
  expect(link).toHaveAttribute('href', '/api/verification/pictures/broken.png')
  expect(link).toHaveAttribute('target', '_blank')
  expect(link).toHaveAccessibleName(/opens in a new tab/)
})

test('what the checks saw stands beside what the comment said', async () => {
  open(chaosRun({ captures: [capture('before'), broken()] }))
  const [before, during] = await pictures()
  expect(before).toHaveTextContent('No check failed.')
  expect(before).toHaveTextContent('It looks well, says the built-in analysis. A heading and a picture can be seen.')
  expect(during).toHaveTextContent('Failing: the file public/og-image.png.')
  expect(during).toHaveTextContent('It looks broken, says the built-in analysis. The place of the picture is empty.')
})

test.each([
  ['right about what is broken', broken(), 'The checks agree'],
  ['right about what is well', capture('healed'), 'The checks agree'],
  ['wrong about what is broken', broken({ opinion: 'healthy' }), 'The checks disagree'],
  ['wrong about what is well', capture('before', { opinion: 'broken' }), 'The checks disagree'],
  ['without an opinion', broken({ opinion: 'unclear' }), 'Not counted: no opinion'],
  ['about what changed meanwhile', broken({ steady: false }), 'Not counted: the checks changed meanwhile'],
])('a comment that is %s', async (_, one, verdict) => {
  open(chaosRun({ captures: [one] }))
  expect(await screen.findByText(verdict)).toBeVisible()
})

test('a picture that was taken during the repair is not called broken', async () => {
  open(chaosRun({ captures: [capture('before'), broken({ steady: false, opinion: 'healthy' })] }))
  const [, during] = await pictures()
  const shown = within(during as HTMLElement)
  expect(shown.getByRole('heading')).toHaveTextContent('During the repair')
  expect(shown.getByRole('img', { name: 'The chaos target during its repair' })).toBeInTheDocument()
  expect(during).toHaveTextContent('It may show the repaired page.')
})

test('a picture that could not be taken is told as such, and nothing is said of it', async () => {
  const { picture: _, ...none } = broken({
    error: 'It was healed before the picture was taken.',
    opinion: 'unclear',
    review: '',
  })
  open(chaosRun({ captures: [none] }))
  const [during] = await pictures()
  expect(during).toHaveTextContent('It was healed before the picture was taken.')
  expect(during).not.toHaveTextContent('says the built-in analysis')
  expect(within(during as HTMLElement).queryByRole('link')).not.toBeInTheDocument()
})

describe('without pictures', () => {
  test('a run that has ended says why', async () => {
    open(chaosRun())
    expect(await screen.findByText('No pictures: the browser was not available.')).toBeVisible()
  })

  test('a run under way says nothing', async () => {
    const { verdict: _, endedAt: __, healMs: ___, ...event } = chaosEvent({ stage: 'watching' })
    open(chaosRun({ event }))
    expect(await screen.findByRole('region', { name: 'The facts' })).toBeVisible()
    expect(section()).not.toBeInTheDocument()
  })

  test('a run that broke nothing says nothing', async () => {
    const {
      injectedAt: _,
      detectMs: __,
      healMs: ___,
      ...event
    } = chaosEvent({ verdict: 'aborted', reason: 'Not well.' })
    open(chaosRun({ event }))
    expect(await screen.findByRole('region', { name: 'The facts' })).toBeVisible()
    expect(section()).not.toBeInTheDocument()
  })
})

describe('pictures that come after the end', () => {
  const justEnded = () => chaosEvent({ endedAt: new Date(Date.now() - 1_000).toISOString() })

  test('are waited for', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    open(chaosRun({ event: justEnded() }))
    expect(await screen.findByText('The pictures are on their way.')).toBeVisible()
    serve({ [path]: chaosRun({ event: justEnded(), captures: [capture('before'), broken()] }) })
    await vi.advanceTimersByTimeAsync(2_500)
    await waitFor(async () => expect(await pictures()).toHaveLength(2))
    serve({ [path]: chaosRun({ event: justEnded(), captures: [capture('before'), broken(), capture('healed')] }) })
    await vi.advanceTimersByTimeAsync(2_500)
    await waitFor(async () => expect(await pictures()).toHaveLength(3))
  })

  test('are waited for a minute at most', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    open(chaosRun({ event: justEnded() }))
    expect(await screen.findByText('The pictures are on their way.')).toBeVisible()
    await vi.advanceTimersByTimeAsync(65_000)
    expect(await screen.findByText('No pictures: the browser was not available.')).toBeVisible()
  })
})
