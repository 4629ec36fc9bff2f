import { screen, waitFor, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, test } from 'vitest'

import '@/pages/ai-verification' // its parts take a busy machine a while
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import {
  brief,
  openVerification,
  runsPage,
  shot,
  shots,
  verification,
  verificationId,
  verificationStatus,
  verificationWorld,
} from '@/test/verification'
import { fail, refusal, serve } from '@/test/world'

const part = (name: string | RegExp) => screen.findByRole('region', { name })
const start = () => screen.findByRole('button', { name: /Start AI Verification|Verifying/ })

let world: ReturnType<typeof verificationWorld>
beforeEach(() => {
  world = verificationWorld()
})

const refuse = (status: number, problem: object, headers: Record<string, string> = {}) =>
  server.use(http.post('*/api/ai-verification', () => HttpResponse.json(problem, { status, headers })))

describe('the form', () => {
  test('asks for a page and what is wanted to know, without waiting, and keeps the run in the address', async () => {
    const { user, router } = openPage('/ai-verification')
    const page = await screen.findByLabelText('Page to look at')
    expect(page).toHaveValue('/')
    expect(await screen.findByText(/Only pages of http:\/\/127.0.0.1:8080 can be looked at/)).toBeVisible()
    expect(screen.queryByLabelText('Site')).not.toBeInTheDocument()
    await user.clear(page)
    await user.type(page, '/pricing')
    await user.type(screen.getByLabelText(/What do you want to know/), 'Is the price there?')
    expect(screen.getByText(/^19\/1000/)).toBeVisible()
    await user.click(await start())
    await waitFor(() => expect(router.state.location.search).toBe(`?run=${verificationId}`))
    expect(world.asked).toEqual([{ url: '/pricing', prompt: 'Is the price there?', wait: false }])
    expect(await part('Result for /')).toBeVisible()
  })

  test('lets one choose among sites, where there are several', async () => {
    serve({ '/api/verification/status': verificationStatus({ sites: ['http://a.example', 'http://b.example'] }) })
    const { user } = openPage('/ai-verification')
    await user.selectOptions(await screen.findByLabelText('Site'), 'http://b.example')
    await user.click(await start())
    await waitFor(() => expect(world.asked).toEqual([{ url: 'http://b.example/', wait: false }]))
  })

  test('does not send more than may be asked', async () => {
    const { user } = openPage('/ai-verification')
    await user.click(await screen.findByLabelText(/What do you want to know/))
    await user.paste('x'.repeat(1001))
    expect(screen.getByText(/^1001\/1000/)).toBeVisible()
    await user.click(await start())
    expect(screen.getByText('That is too long: ask for less.')).toBeVisible()
    expect(world.asked).toEqual([])
  })

  test('starts nothing while a verification runs', async () => {
    world.run = openVerification({ stage: 'capturing', done: 1 })
    const { user } = openPage(`/ai-verification?run=${verificationId}`)
    const button = await screen.findByRole('button', { name: 'Verifying…' })
    expect(button).toHaveAttribute('aria-disabled', 'true')
    await user.click(button)
    expect(world.asked).toEqual([])
  })
})

describe('a refusal', () => {
  test('of the page is told at its field', async () => {
    refuse(422, refusal('Only pages of our own can be looked at.', 'url_refused'))
    const { user } = openPage('/ai-verification')
    await user.click(await start())
    await waitFor(() =>
      expect(screen.getByLabelText('Page to look at')).toHaveAccessibleDescription(/Only pages of our own can be/),
    )
    expect(screen.queryByRole('alert')).not.toBeInTheDocument()
  })

  test('because one runs already leads to that one, and says so', async () => {
    world.run = openVerification({ stage: 'capturing', done: 1 })
    const details = [{ field: 'runId', reason: verificationId }]
    refuse(409, { ...refusal('Your last verification has not ended yet.', 'verification_running'), details })
    const { user, router } = openPage('/ai-verification')
    await user.click(await start())
    expect(await screen.findByText(/A verification of yours was running already/)).toBeVisible()
    await waitFor(() => expect(router.state.location.search).toBe(`?run=${verificationId}`))
    expect(await screen.findByRole('list', { name: 'Steps' })).toBeVisible()
  })

  test('of too many says when it goes on', async () => {
    const at = new Date(Date.now() + 125_000).toUTCString()
    refuse(429, refusal('You had 30 verifications this hour.', 'too_many_requests'), { 'Retry-After': at })
    const { user } = openPage('/ai-verification')
    await user.click(await start())
    expect(await screen.findByRole('alert')).toHaveTextContent(/You had 30 .+ next one in 2 min \d s\./)
  })

  test('for another reason shows its status and the sentence of the server', async () => {
    fail('/api/ai-verification', 503, 'The worker is away.')
    const { user } = openPage('/ai-verification')
    await user.click(await start())
    const alert = await screen.findByRole('alert')
    expect(alert).toHaveTextContent('Verification failed: 503')
    expect(alert).toHaveTextContent('The worker is away.')
  })

  test('by nobody, for the server is away, is told as such', async () => {
    server.use(http.post('*/api/ai-verification', () => HttpResponse.error()))
    const { user } = openPage('/ai-verification')
    await user.click(await start())
    expect(await screen.findByRole('alert')).toHaveTextContent('The server cannot be reached.')
  })
})

describe('a run under way', () => {
  const steps = async () =>
    within(await screen.findByRole('list', { name: 'Steps' }))
      .getAllByRole('listitem')
      .map((step) => step.textContent)

  test('shows its steps by its own events, until it has ended', async () => {
    world.run = openVerification({ stage: 'capturing', done: 2, shots: [shot()] })
    openPage(`/ai-verification?run=${verificationId}`)
    expect(await steps()).toEqual([
      'Ask the endpointsDone',
      'Open the page: Light, wideDone',
      'Open the page: Dark, wideRunning',
      'Open the page: Light, narrowRunning',
      'Open the page: Dark, narrowRunning',
      'Compare with the approved lookPending',
      'CommentPending',
      'ConcludePending',
    ])
    expect(screen.getByRole('progressbar', { name: 'Steps done' })).toHaveAttribute('aria-valuenow', '25')
    expect(screen.getByText('2 of 8 steps are done. Now: Open the page: Dark, wide')).toHaveAttribute(
      'aria-live',
      'polite',
    )
    expect(screen.getByRole('img', { name: 'Screenshot of /, light, wide' })).toBeInTheDocument()

    world.run = openVerification({ stage: 'comparing', done: 5, shots: shots() })
    await waitFor(async () => expect((await steps())[5]).toBe('Compare with the approved lookRunning'))

    world.run = openVerification({ stage: 'reviewing', done: 6, shots: shots() })
    await waitFor(async () => expect((await steps())[6]).toBe('CommentRunning'))
    expect((await steps())[5]).toBe('Compare with the approved lookNothing changed.Done')

    world.run = verification()
    serve({ '/api/verification/runs': runsPage([brief({ path: '/new' }), brief({ id: 'old' })]) })
    expect(await part('Result for /')).toBeVisible()
    expect(await screen.findByRole('link', { name: /^\/new, / })).toBeVisible() // the list is asked for again
    expect(await screen.findByRole('button', { name: 'Start AI Verification' })).toBeVisible()
  })

  test('says which step failed, and why', async () => {
    const [first, ...others] = shots()
    const { picture: _, ...lost } = first ?? shot()
    world.run = openVerification({ stage: 'comparing', shots: [{ ...lost, error: 'It took too long.' }, ...others] })
    openPage(`/ai-verification?run=${verificationId}`)
    expect((await steps())[1]).toBe('Open the page: Light, wideIt took too long.Failed')
  })

  test('that is kept no more is told as such', async () => {
    fail('/api/verification/runs/gone', 404)
    openPage('/ai-verification?run=gone')
    expect(await screen.findByText(/Only the latest 50 are kept/)).toBeVisible()
    expect(await start()).toHaveTextContent('Start AI Verification')
  })
})

describe('the latest verifications', () => {
  test('are listed, each with the way to it, and more on demand', async () => {
    const first = Array.from({ length: 10 }, (_, n) => brief({ id: `run-${n}` }))
    const last = brief({
      id: 'last',
      path: '/pricing',
      requestedBy: 'schedule',
      status: 'error',
      passed: 3,
      failed: 27,
    })
    server.use(
      http.get('*/api/verification/runs', ({ request }) => {
        const more = new URL(request.url).searchParams.get('offset') === '10'
        return HttpResponse.json(more ? runsPage([last], { offset: 10 }) : runsPage(first, { hasMore: true }))
      }),
    )
    const { user } = openPage('/ai-verification')
    const list = await screen.findByRole('list', { name: 'Verifications' })
    expect(within(list).getAllByRole('listitem')).toHaveLength(10)
    await user.click(screen.getByRole('button', { name: 'Load more' }))
    await waitFor(() => expect(within(list).getAllByRole('listitem')).toHaveLength(11))
    const row = within(list).getAllByRole('listitem')[10] ?? list
    expect(row).toHaveTextContent('Asked for by the schedule; 3 checks passed, 27 failed')
    expect(row).toHaveTextContent('Broken')
    expect(within(row).getByRole('link')).toHaveAttribute('href', '/ai-verification/runs/last')
    expect(screen.queryByRole('button', { name: 'Load more' })).not.toBeInTheDocument()
  })

  test('are none before the first one', async () => {
    serve({ '/api/verification/runs': runsPage([]) })
    openPage('/ai-verification')
    expect(await screen.findByText('No verification yet')).toBeVisible()
  })
})

test('the page is found in the navigation', async () => {
  openPage('/ai-verification')
  const links = await screen.findAllByRole('link', { name: 'Verification' })
  expect(links[0]).toHaveAttribute('href', '/ai-verification')
})
