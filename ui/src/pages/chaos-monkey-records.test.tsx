import { screen, waitFor, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, test } from 'vitest'

import { cell, chaosEvent, chaosWorld, faultScore, incident, incidents, score } from '@/test/chaos-target'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { serve } from '@/test/world'

const part = (name: string | RegExp) => screen.findByRole('region', { name })

let world: ReturnType<typeof chaosWorld>
beforeEach(() => {
  world = chaosWorld()
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
    if (image === undefined || rules === undefined) throw new Error('the chaos target has two files')
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
