import { screen, waitFor, within } from '@testing-library/react'
import { delay, HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, test } from 'vitest'

import { cell, chaosEvent, chaosRun, chaosWorld, faults, incident, openEvent, openIncident } from '@/test/chaos-target'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { founder, shareholder } from '@/test/sessions'
import { fail, logIn, refusal } from '@/test/world'

const part = (name: string | RegExp) => screen.findByRole('region', { name })
const breakIt = (title: string) => screen.findByRole('button', { name: `Break it: ${title}` })

let world: ReturnType<typeof chaosWorld>
beforeEach(() => {
  world = chaosWorld()
})

describe('the health of the chaos target', () => {
  test('is told in words, with the way to the chaos target', async () => {
    openPage('/chaos-monkey')
    const health = await part('System health')
    expect(within(health).getByRole('status')).toHaveTextContent(/^Healthy since/)
    expect(health).toHaveTextContent('Failing checksnone')
    expect(health).toHaveTextContent('number 4711')
    expect(within(health).getByRole('link', { name: /Look at the chaos target/ })).toHaveAttribute(
      'href',
      'http://127.0.0.1:8085/',
    )
  })

  test('names what fails', async () => {
    world.cell = cell({ status: 'broken', failing: ['file:public/og-image.png', 'process'], process: 0 })
    openPage('/chaos-monkey')
    const health = await part('System health')
    expect(within(health).getByRole('status')).toHaveTextContent(/^Broken/)
    expect(health).toHaveTextContent('the file public/og-image.png and the process')
    expect(health).toHaveTextContent('none is running')
  })

  test('says when nobody has seen the chaos target, and follows no address that is no page', async () => {
    const { seenAt: _, ...unseen } = cell({ status: 'unseen', url: '' })
    world.cell = unseen
    openPage('/chaos-monkey')
    const health = await part('System health')
    expect(within(health).getByRole('status')).toHaveTextContent(/^Not seen/)
    expect(health).toHaveTextContent('Last probenone yet')
    expect(within(health).queryByRole('link')).not.toBeInTheDocument()
  })

  test('says what the healer is doing, and lets nobody break more', async () => {
    world.cell = cell({ status: 'broken', incident: openIncident({ steps: incident('x').steps }) })
    openPage('/chaos-monkey')
    const health = await part('System health')
    expect(within(health).getByRole('status')).toHaveTextContent(/^Being healed since/)
    expect(health).toHaveTextContent('Last it did: restored public/og-image.png from the golden copy, in 0.1 s.')
    expect(await breakIt('Crash the API')).toHaveAttribute('aria-disabled', 'true')
  })

  test('shows an alarm, and what to do', async () => {
    world.cell = cell({ status: 'broken', incident: openIncident({ alarm: 'There is no space left.' }) })
    openPage('/chaos-monkey')
    const alarm = await screen.findByRole('alert')
    expect(alarm).toHaveTextContent('The healer needs help')
    expect(alarm).toHaveTextContent('There is no space left.')
    expect(alarm).toHaveTextContent('look for a full disk')
    expect(within(alarm).getByRole('link', { name: /Open the healer's run/ })).toBeVisible()
  })

  test('is loaded behind a skeleton, and may fail with another try', async () => {
    server.use(http.get('*/api/chaos/target', () => delay('infinite')))
    openPage('/chaos-monkey')
    expect(await screen.findByText('Loading…')).toBeInTheDocument()
    expect(screen.queryByRole('region', { name: 'System health' })).not.toBeInTheDocument()
  })

  test('that cannot be had says why, while the log is there', async () => {
    fail('/api/chaos/target', 503, 'Not yet.')
    openPage('/chaos-monkey')
    expect(await screen.findByText('Could not load the chaos target')).toBeVisible()
    expect(await within(await part('Event log')).findByText('Restored')).toBeVisible()
  })
})

describe('the buttons', () => {
  test('are the faults of the chaos target, in their order, with what they do and promise', async () => {
    openPage('/chaos-monkey')
    const buttons = within(await part('Break it')).getAllByRole('button')
    expect(buttons.map((button) => button.getAttribute('aria-label'))).toEqual(
      faults.map(({ title }) => `Break it: ${title}`),
    )
    expect(buttons[2]).toHaveAccessibleDescription('What break-database really does.')
    expect(screen.getAllByText('Promise: heals within 5 s')).toHaveLength(3)
  })

  test('break the chaos target once, and wait while the test runs', async () => {
    const { user } = openPage('/chaos-monkey')
    await user.click(await breakIt('Crash the API'))
    const running = await screen.findByRole('button', { name: 'Running test...' })
    expect(running).toHaveAttribute('aria-disabled', 'true')
    expect(running).toHaveFocus()
    for (const button of within(await part('Break it')).getAllByRole('button')) {
      expect(button).toHaveAttribute('aria-disabled', 'true')
      await user.click(button)
    }
    expect(world.asked).toEqual([{ type: 'crash-api', source: 'dashboard' }])
    expect(await part('Running: Crash the API')).toBeVisible()
    expect(within(await part('Event log')).getByText('Restoring...')).toBeVisible()
  })

  test("show another visitor's test, with its probes", async () => {
    const event = openEvent('theirs', { type: 'delete-templates' })
    world.cell = cell({ running: event })
    world.events = [event]
    openPage('/chaos-monkey')
    const test = await part('Running: Delete the templates')
    expect(await within(test).findByRole('slider', { name: 'Probes' })).toBeVisible()
    expect(screen.getByRole('button', { name: 'Running test...' })).toBeVisible()
    expect(within(await part('System health')).getByRole('status')).toHaveTextContent(/^Chaos since/)
  })
})

describe('a refusal', () => {
  const refuse = async (status: number, code: string, words: string, headers: Record<string, string> = {}) => {
    server.use(http.post('*/api/chaos', () => HttpResponse.json(refusal(words, code), { status, headers })))
    const { user } = openPage('/chaos-monkey')
    await user.click(await breakIt('Crash the API'))
    return screen.findByRole('alert')
  }

  test.each([
    ['incident_open', 'Something is broken already. Wait until the healer is done, then try again.'],
    ['chaos_off', 'Come back when a founder has turned it on again.'],
    ['target_refused', 'Wait a moment and try again, or try another test.'],
  ])('%s says what to do next', async (code, next) => {
    const alert = await refuse(409, code, 'Not now.')
    expect(alert).toHaveTextContent(`No test began`)
    expect(alert).toHaveTextContent(`Not now. ${next}`)
  })

  test('of a limit says how long to wait', async () => {
    const at = new Date(Date.now() + 600_000).toUTCString()
    const alert = await refuse(429, 'too_many_requests', 'That were three.', { 'Retry-After': at })
    expect(alert).toHaveTextContent(/That were three\. You can start the next one in (10 min|9 min \d+ s)\./)
  })

  test('because somebody was quicker shows their test', async () => {
    const event = openEvent('theirs', { type: 'delete-templates' })
    server.use(
      http.post('*/api/chaos', () => {
        world.cell = cell({ running: event })
        world.events = [event]
        return HttpResponse.json(refusal('A test is running.', 'chaos_running'), { status: 409 })
      }),
    )
    const { user } = openPage('/chaos-monkey')
    await user.click(await breakIt('Crash the API'))
    expect(await part('Running: Delete the templates')).toBeVisible()
    expect(screen.getByRole('button', { name: 'Running test...' })).toBeVisible()
    expect(screen.getByRole('alert')).toHaveTextContent('No test beganA test is running. Somebody was quicker.')
  })

  test('without an answer says to look at the connection', async () => {
    server.use(http.post('*/api/chaos', () => HttpResponse.error()))
    const { user } = openPage('/chaos-monkey')
    await user.click(await breakIt('Crash the API'))
    expect(await screen.findByRole('alert')).toHaveTextContent('Check your connection, then try again.')
  })
})

describe('the kill switch', () => {
  test.each([
    ['visitors', null],
    ['members', shareholder()],
  ])('is not for %s, who see what it did', async (_, who) => {
    if (who !== null) logIn(who)
    world.cell = cell({ switch: { on: false, by: '@founder_one', reason: 'We move.', at: '2026-11-22T09:00:00Z' } })
    openPage('/chaos-monkey')
    const note = (await screen.findByText('Chaos is off')).closest('[role=status]')
    expect(note).toHaveTextContent('Turned off by @founder_one')
    expect(note).toHaveTextContent('Why: We move.')
    expect(await breakIt('Crash the API')).toHaveAttribute('aria-disabled', 'true')
    expect(screen.queryByRole('region', { name: 'Kill switch' })).not.toBeInTheDocument()
  })

  test('asks before it turns chaos off, for everybody to read why', async () => {
    logIn(founder())
    const { user } = openPage('/chaos-monkey')
    await user.click(await screen.findByRole('button', { name: 'Turn chaos off' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Turn chaos off?' }))
    expect(world.asked).toEqual([])
    await user.type(dialog.getByRole('textbox', { name: 'Why' }), ' We move. ')
    await user.click(dialog.getByRole('button', { name: 'Turn off' }))
    expect(await screen.findByText(/Turned off by @founder_one/)).toBeVisible()
    expect(world.asked).toEqual([{ on: false, reason: 'We move.' }])
    expect(await screen.findByRole('button', { name: 'Turn chaos on' })).toBeVisible()
  })

  test('says in its question why it was refused', async () => {
    logIn(founder())
    server.use(http.put('*/api/chaos/switch', () => HttpResponse.json(refusal('Only founders.'), { status: 403 })))
    const { user } = openPage('/chaos-monkey')
    await user.click(await screen.findByRole('button', { name: 'Turn chaos off' }))
    await user.click(await screen.findByRole('button', { name: 'Turn off' }))
    expect(await within(screen.getByRole('dialog')).findByText('Only founders.')).toBeVisible()
  })
})

test('the page leads on', async () => {
  openPage('/chaos-monkey')
  const ways = within(await screen.findByRole('navigation', { name: 'Where to go on' }))
  expect(ways.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
    '/experiments',
    '/dashboard',
    '/',
  ])
})

test('a run that nobody streams is asked for until it ends', async () => {
  const event = openEvent('r9')
  world.cell = cell({ running: event })
  world.events = [event]
  world.runs.set('r9', chaosRun(event))
  openPage('/chaos-monkey')
  expect(await part('Running: Delete the og image')).toBeVisible()
  world.cell = cell()
  world.events = [chaosEvent('r9')]
  world.runs.set('r9', chaosRun(chaosEvent('r9')))
  const result = screen.getByRole('status', { name: 'Result of the test' })
  await waitFor(() =>
    expect(result).toHaveTextContent('Detected after 0.3 s, healed after 0.9 s: within the promised 2 s.'),
  )
  expect(within(result).getByRole('link', { name: 'Look at this run' })).toHaveAttribute(
    'href',
    '/chaos-monkey/runs/r9',
  )
})
