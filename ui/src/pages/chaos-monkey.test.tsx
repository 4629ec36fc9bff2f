import { screen, waitFor, within } from '@testing-library/react'
import { delay, HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, test } from 'vitest'

import {
  cell,
  chaosEvent,
  chaosRun,
  chaosWorld,
  faultScore,
  faults,
  incident,
  incidents,
  openEvent,
  openIncident,
  score,
} from '@/test/chaos-cell'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { founder, shareholder } from '@/test/sessions'
import { fail, logIn, refusal, serve } from '@/test/world'

const part = (name: string | RegExp) => screen.findByRole('region', { name })
const breakIt = (title: string) => screen.findByRole('button', { name: `Break it: ${title}` })

let world: ReturnType<typeof chaosWorld>
beforeEach(() => {
  world = chaosWorld()
})

describe('the health of the cell', () => {
  test('is told in words, with the way to the cell', async () => {
    openPage('/chaos-monkey')
    const health = await part('System health')
    expect(within(health).getByRole('status')).toHaveTextContent(/^Healthy since/)
    expect(health).toHaveTextContent('Failing checksnone')
    expect(health).toHaveTextContent('number 4711')
    expect(within(health).getByRole('link', { name: /Look at the cell/ })).toHaveAttribute(
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

  test('says when nobody has seen the cell, and follows no address that is no page', async () => {
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
    server.use(http.get('*/api/chaos/cell', () => delay('infinite')))
    openPage('/chaos-monkey')
    expect(await screen.findByText('Loading…')).toBeInTheDocument()
    expect(screen.queryByRole('region', { name: 'System health' })).not.toBeInTheDocument()
  })

  test('that cannot be had says why, while the log is there', async () => {
    fail('/api/chaos/cell', 503, 'Not yet.')
    openPage('/chaos-monkey')
    expect(await screen.findByText('Could not load the cell')).toBeVisible()
    expect(await within(await part('Event log')).findByText('Restored')).toBeVisible()
    server.use(http.get('*/api/chaos/cell', () => HttpResponse.json(cell())))
    expect(screen.getByRole('button', { name: 'Try again' })).toBeVisible()
  })
})

describe('the buttons', () => {
  test('are the faults of the cell, in their order, with what they do and promise', async () => {
    openPage('/chaos-monkey')
    const buttons = within(await part('Break it')).getAllByRole('button')
    expect(buttons.map((button) => button.getAttribute('aria-label'))).toEqual(
      faults.map(({ title }) => `Break it: ${title}`),
    )
    expect(buttons[2]).toHaveAccessibleDescription('What break-database really does.')
    expect(screen.getAllByText('Promise: heals within 5 s')).toHaveLength(3)
  })

  test('break the cell once, and wait while the test runs', async () => {
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
    ['cell_refused', 'Wait a moment and try again, or try another test.'],
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

describe('the event log', () => {
  test('says what came of each test', async () => {
    const { injectedAt: _, ...never } = chaosEvent('r3', { verdict: 'aborted', requestedBy: 'schedule' })
    world.events = [
      chaosEvent('r1', { replayOf: 'r0' }),
      chaosEvent('r2', { type: 'gone', restored: false, verdict: 'failed' }),
      never,
    ]
    openPage('/chaos-monkey')
    const rows = within(await screen.findByRole('region', { name: 'The latest tests' })).getAllByRole('listitem')
    expect(rows).toHaveLength(3)
    const [healed, failed, aborted] = rows.map((row) => within(row))
    expect(await healed?.findByRole('link', { name: 'Delete the og image' })).toHaveAttribute(
      'href',
      '/chaos-monkey/runs/r1',
    )
    expect(healed?.getByRole('link', { name: /replay/ })).toHaveAttribute('href', '/chaos-monkey/runs/r0')
    expect(rows[0]).toHaveTextContent('RestoredHealed in timedetected 0.3 s, healed 0.9 s')
    expect(failed?.getByRole('link', { name: 'gone' })).toBeVisible()
    expect(rows[1]).toHaveTextContent('Not restoredNot healed')
    expect(rows[2]).toHaveTextContent('by the game day')
    expect(aborted?.getByText('Nothing was broken')).toBeVisible()
  })

  test('keeps to fifty', async () => {
    world.events = Array.from({ length: 60 }, (_, n) => chaosEvent(`r${n}`))
    openPage('/chaos-monkey')
    const log = await screen.findByRole('region', { name: 'The latest tests' })
    expect(within(log).getAllByRole('listitem')).toHaveLength(50)
  })

  test('is empty at first, and always there as a file', async () => {
    world.events = []
    openPage('/chaos-monkey')
    expect(await screen.findByText('No test yet')).toBeVisible()
    expect(screen.getByRole('link', { name: 'All runs as CSV' })).toHaveAttribute('href', '/api/chaos/runs.csv')
  })
})

describe('the numbers', () => {
  test('are shown with their formula, by fault, and as a picture with words', async () => {
    openPage('/chaos-monkey')
    const numbers = within(await part('How well it heals'))
    expect(await numbers.findByText('97.5 of 100')).toBeVisible()
    expect(numbers.getByText('How it is worked out: the healed share of each fault, weighted.')).toBeVisible()
    const table = within(numbers.getByRole('table', { name: 'Runs by fault' }))
    expect(table.getByRole('row', { name: /^Break the database/ })).toHaveTextContent(
      'promise 5 s, weight 11295% healed0.3 sp95 0.4 s0.9 sp95 1.4 s',
    )
    await waitFor(() =>
      expect(numbers.getByRole('img', { name: /^Heal times/ })).toHaveAccessibleName(
        /Delete the og image: median 0\.9 s, promised 2 s; 1 of the latest 1 in time\./,
      ),
    )
  })

  test('of few runs are not called data', async () => {
    serve({ '/api/chaos/score': score({ faults: [faultScore('crash-api', { runs: 4 })] }) })
    openPage('/chaos-monkey')
    expect(await screen.findAllByText('not enough data')).toHaveLength(2)
  })

  test('before the first run say that there is no score', async () => {
    const { score: _, ...none } = score({ runs: 0, faults: [] })
    serve({ '/api/chaos/score': none })
    openPage('/chaos-monkey')
    expect(await screen.findByText('No score yet')).toBeVisible()
    expect(screen.queryByRole('img', { name: /^Heal times/ })).not.toBeInTheDocument()
  })

  test('can be shown elsewhere as badges', async () => {
    openPage('/chaos-monkey')
    expect(await screen.findByRole('img', { name: 'Badge: Last heal' })).toHaveAttribute(
      'src',
      '/api/chaos/badges/last-heal.svg',
    )
    const here = location.origin
    expect(
      screen.getByText(`[![Resilience score](${here}/api/chaos/badges/score.svg)](${here}/chaos-monkey)`),
    ).toBeVisible()
  })
})

describe('the incidents', () => {
  test('say what was found and done, and which test ran, page by page', async () => {
    const older = incident('i2', { failing: ['process'], alarm: 'It did not start.' })
    server.use(
      http.get('*/api/chaos/incidents', ({ request }) =>
        HttpResponse.json(
          new URL(request.url).searchParams.get('offset') === '0'
            ? incidents([incident('i1', { chaosId: 'r1' })], { total: 2, hasMore: true })
            : incidents([older], { total: 2, offset: 1 }),
        ),
      ),
    )
    const { user } = openPage('/chaos-monkey')
    const list = within(await part('What the healer found and did'))
    expect(await list.findByText(/over after 0\.6 s/)).toBeVisible()
    expect(list.getByText('Found failing: the file public/og-image.png and the page /og-image.png.')).toBeVisible()
    expect(list.getByText('It restored public/og-image.png from the golden copy, in 0.1 s.')).toBeVisible()
    expect(list.getByRole('link', { name: 'The test that ran then' })).toHaveAttribute('href', '/chaos-monkey/runs/r1')
    await user.click(list.getByRole('button', { name: 'Load more incidents' }))
    expect(await list.findByText('It asked for help: It did not start.')).toBeVisible()
    expect(list.queryByRole('button', { name: 'Load more incidents' })).not.toBeInTheDocument()
  })

  test('may not have been yet', async () => {
    openPage('/chaos-monkey')
    expect(await screen.findByText('No incident yet')).toBeVisible()
  })
})

describe('the manifest', () => {
  test('lists the files, and whether they are as signed', async () => {
    const [image, rules] = cell().files
    if (image === undefined || rules === undefined) throw new Error('the cell has two files')
    world.cell = cell({ files: [{ ...image, ok: false }, rules] })
    const { user } = openPage('/chaos-monkey')
    const manifest = within(await part('The manifest'))
    expect(manifest.getByText('1 of 2 critical files differ from the manifest.')).toBeVisible()
    const [first] = within(manifest.getByRole('list', { name: 'Critical files' })).getAllByRole('listitem')
    expect(first).toHaveTextContent('public/og-image.png51,234 bytesb5bb9d8014a0…differs')
    await user.click(manifest.getByRole('button', { name: 'Copy the sha256 of public/og-image.png' }))
    expect(await navigator.clipboard.readText()).toBe(image.sha256)
    expect(manifest.getByText('cell+1a2b3c4d+AAAA')).toBeInTheDocument()
  })

  test('may not be there', async () => {
    world.cell = cell({ files: [] })
    openPage('/chaos-monkey')
    expect(await screen.findByText('No manifest yet')).toBeVisible()
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
