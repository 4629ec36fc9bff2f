import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, test } from 'vitest'

import type { Schemas } from '@/api/client'
import '@/pages/verification-run' // its parts take a busy machine a while
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { founder } from '@/test/sessions'
import {
  brokenVerification,
  newShot,
  picture,
  shot,
  shots,
  verification,
  verificationId,
  verificationStatus,
  verificationWorld,
} from '@/test/verification'
import { fail, logIn, refusal, serve } from '@/test/world'

const part = (name: string | RegExp) => screen.findByRole('region', { name })

let world: ReturnType<typeof verificationWorld>
beforeEach(() => {
  world = verificationWorld()
})

function open(run: Schemas['Verification'] = verification()) {
  world.run = run
  return openPage(`/ai-verification/runs/${verificationId}`)
}

const facts = (of: HTMLElement) => {
  const told = within(of).getAllByRole('definition')
  return Object.fromEntries(
    within(of)
      .getAllByRole('term')
      .map((term, index) => [term.textContent, told[index]?.textContent]),
  )
}

describe('the result', () => {
  test('is the verdict in words, the success rate, the framework status and when', async () => {
    open()
    const result = await screen.findByRole('status', { name: 'Result' })
    expect(result).toHaveTextContent('Every check passed.')
    expect(within(result).getByText('Working')).toBeVisible()
    expect(facts(result)).toMatchObject({
      'Success rate': '100 % (30 checks passed, 0 failed)',
      'Framework status': 'working',
      Timestamp: expect.stringContaining('Nov 22, 2026'),
      'Asked by': 'a visitor',
    })
    expect(within(result).getByRole('link', { name: /Open run/ })).toHaveAttribute(
      'href',
      'http://127.0.0.1:8233/verification',
    )
    expect(result).not.toHaveTextContent('lowered')
  })

  test('says that the comment lowered the verdict', async () => {
    open(verification({ status: 'warning', doubts: true }))
    expect(await screen.findByText(/The checks alone say working. The comment lowered it to warning./)).toBeVisible()
    expect(screen.getByText('The comment doubts that the page is well.')).toBeVisible()
  })

  test('says what to do without a browser, and shows everything else', async () => {
    const message = 'Chromium is not there: install it, or name it in BROWSER_PATH.'
    serve({ '/api/verification/status': verificationStatus({ browser: { ready: false, message } }) })
    const lost = shots(newShot).map(({ picture: _, ...rest }) => ({ ...rest, error: 'There is no browser.' }))
    open(brokenVerification({ code: 'browser_missing', shots: lost }))
    const alert = await screen.findByRole('alert')
    expect(alert).toHaveTextContent('The browser is not available')
    await waitFor(() => expect(alert).toHaveTextContent(message))
    expect(await part('Screenshots')).toHaveTextContent('There is no browser.')
    expect(await part('Checks')).toBeVisible()
    expect(await part('AI analysis')).toBeVisible()
  })

  test('can be read raw, and copied', async () => {
    const { user } = open()
    const raw = await part('Raw test results')
    await user.click(within(raw).getByText('What the server answers, as JSON'))
    expect(JSON.parse(within(raw).getByRole('region', { name: 'The run as JSON' }).textContent ?? '')).toEqual(
      verification(),
    )
    await user.click(within(raw).getByRole('button', { name: 'Copy JSON' }))
    expect(JSON.parse(await navigator.clipboard.readText())).toEqual(verification())
  })
})

describe('the checks', () => {
  test('are grouped, what failed first and open, with its details', async () => {
    open(brokenVerification())
    const groups = within(await part('Checks')).getAllByRole('group')
    expect(groups.map((group) => [group.querySelector('summary')?.textContent, group.hasAttribute('open')])).toEqual([
      ['Endpoints: 5 checks passed, 1 failed', true],
      ['Dark, wide: 4 checks passed, 2 failed', true],
      ['Light, wide: 6 checks passed, 0 failed', false],
      ['Light, narrow: 5 checks passed, 0 failed, 1 not made', false],
      ['Dark, narrow: 6 checks passed, 0 failed', false],
    ])
    const [stats] = within(screen.getByRole('list', { name: 'Checks of Endpoints' })).getAllByRole('listitem')
    expect(stats).toHaveTextContent('FailedGET /api/statsIt answered 500.')
    const dark = within(screen.getByRole('list', { name: 'Checks of Dark, wide' }))
    expect(dark.getByText('GET /assets/lost.js: 404')).toBeVisible()
  })
})

describe('the comment', () => {
  test('that nobody made is called built-in', async () => {
    open()
    const comment = await part('AI analysis')
    expect(comment).toHaveTextContent('Built-in analysis: made from the checks and from measurements. Nobody looked.')
    expect(comment).toHaveTextContent('Checks decide; the comment can lower the verdict, never raise it.')
    expect(comment).not.toHaveTextContent('doubts')
  })

  test('of a model names it, and answers what was asked one by one', async () => {
    const criteria = [
      { text: 'Is the price there?', verdict: 'PASS', why: 'It says 9 dollars.' },
      { text: 'Is it green?', verdict: 'FAIL', why: 'It is blue.' },
      { text: 'Is it fast?', verdict: 'UNCLEAR', why: '' },
    ]
    open(verification({ builtIn: false, analyst: 'ollama:llava', criteria }))
    const comment = await part('AI analysis')
    expect(comment).toHaveTextContent('ollama:llava')
    expect(comment).not.toHaveTextContent('Nobody looked')
    const rows = within(within(comment).getByRole('table', { name: 'What was asked' })).getAllByRole('row')
    expect(rows.map((row) => row.textContent)).toEqual([
      'AskedAnswer',
      'Is the price there?PASSIt says 9 dollars.',
      'Is it green?FAILIt is blue.',
      'Is it fast?UNCLEAR',
    ])
  })

  test('says why that of a model is missing', async () => {
    open(verification({ trouble: 'The model did not answer in time.' }))
    expect(await part('AI analysis')).toHaveTextContent('The model did not answer in time.')
  })
})

describe('the screenshots', () => {
  test('are shown view by view, in a place as large as they are', async () => {
    const { user } = open(verification({ shots: shots((view) => shot({ ...view, cut: view.theme === 'dark' })) }))
    const image = await screen.findByRole('img', { name: 'Screenshot of /, light, wide' })
    expect(image).toHaveAttribute('width', '1280')
    expect(image).toHaveAttribute('height', '1600')
    expect(screen.queryByText(/The page goes on below/)).not.toBeInTheDocument()
    await user.click(screen.getByRole('radio', { name: 'Dark, narrow' }))
    expect(screen.getByRole('img', { name: 'Screenshot of /, dark, narrow' })).toHaveAttribute(
      'src',
      picture('dark-narrow'),
    )
    expect(screen.getByText(/The page goes on below/)).toBeVisible()
  })

  test('open in full with the keyboard, in any size, until Escape', async () => {
    const { user } = open()
    const button = await screen.findByRole('button', { name: 'Screenshot of /, light, wide. Zoom' })
    button.focus()
    await user.keyboard('{Enter}')
    const dialog = await screen.findByRole('dialog', { name: 'Screenshot of /, light, wide' })
    expect(within(dialog).getByRole('status')).toHaveTextContent('Fits the window')
    await user.click(within(dialog).getByRole('button', { name: '100 %' }))
    expect(within(dialog).getByRole('img')).toHaveStyle({ width: '1280px' })
    await user.keyboard('+')
    expect(within(dialog).getByRole('status')).toHaveTextContent('150 %')
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
    await waitFor(() => expect(button).toHaveFocus())
  })

  test('that do not come are told as such', async () => {
    open()
    fireEvent.error(await screen.findByRole('img', { name: 'Screenshot of /, light, wide' }))
    expect(await screen.findByText(/The picture could not be loaded/)).toBeVisible()
  })
})

describe('the approved look', () => {
  test('is told with its distance, its founder and the reason', async () => {
    const { user } = open(brokenVerification())
    const pictures = await part('Screenshots')
    expect(pictures).toHaveTextContent('Nothing changed since the look that founder_one approved')
    await waitFor(() => expect(pictures).toHaveTextContent('The reason was: “The new header.”'))
    await user.click(screen.getByRole('radio', { name: 'Dark, wide' }))
    expect(pictures).toHaveTextContent('2.5 % changed since the look')
  })

  test('is shown beside what was seen, under it, and as what changed', async () => {
    const { user } = open(brokenVerification())
    await user.click(await screen.findByRole('radio', { name: 'Dark, wide' }))
    await user.click(screen.getByRole('radio', { name: 'Side by side' }))
    expect(screen.getByRole('img', { name: 'Approved look of /, dark, wide' })).toHaveAttribute(
      'src',
      picture('approved-dark-wide'),
    )
    expect(screen.getByRole('img', { name: 'Screenshot of /, dark, wide' })).toBeVisible()

    await user.click(screen.getByRole('radio', { name: 'Overlay' }))
    const slider = screen.getByRole('slider', { name: /How much is as seen/ })
    fireEvent.change(slider, { target: { value: '30' } })
    expect(slider).toHaveAttribute('aria-valuetext', '30 % as seen')
    expect(screen.getByRole('img', { name: 'Screenshot of /, dark, wide' }).parentElement).toHaveStyle({
      clipPath: 'inset(0 70% 0 0)',
    })

    await user.click(screen.getByRole('radio', { name: 'Changes' }))
    expect(screen.getByRole('img', { name: 'What changed of /, marked, dark, wide' })).toHaveAttribute(
      'src',
      picture('diff-wide'),
    )
    await user.click(screen.getByRole('radio', { name: 'Light, wide' }))
    expect(screen.getByText('There is nothing to mark: nothing changed.')).toBeVisible()
  })

  test('is missing where nobody approved one; and visitors cannot', async () => {
    open(verification({ shots: shots(newShot) }))
    expect(await screen.findByText(/No look of \/ is approved for this view yet/)).toBeVisible()
    expect(screen.queryByRole('radio', { name: 'Overlay' })).not.toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Approve this look' })).not.toBeInTheDocument()
    expect(await screen.findByText(/Only founders can approve a look/)).toBeVisible()
  })
})

describe('a founder', () => {
  beforeEach(() => logIn(founder()))
  const path = `/api/verification/runs/${verificationId}/approve`

  test('approves chosen views with a reason', async () => {
    const sent: unknown[] = []
    server.use(
      http.post(`*${path}`, async ({ request }) => {
        sent.push(await request.json())
        return HttpResponse.json(verification())
      }),
    )
    const { user } = open(verification({ shots: shots(newShot), canApprove: true }))
    await user.click(await screen.findByRole('button', { name: 'Approve this look' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Approve this look?' }))
    await user.click(dialog.getByRole('button', { name: 'Approve' }))
    expect(dialog.getByText('Give a reason.')).toBeVisible()
    await user.type(dialog.getByLabelText(/Why this is how it should look/), ' The new header. ')
    await user.click(dialog.getByLabelText('Dark, wide'))
    await user.click(dialog.getByLabelText('Dark, narrow'))
    await user.click(dialog.getByRole('button', { name: 'Approve' }))
    expect(await screen.findByText(/The look of \/ is approved/)).toBeVisible()
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
    expect(sent).toEqual([
      {
        reason: 'The new header.',
        views: [
          { theme: 'light', viewport: 'wide' },
          { theme: 'light', viewport: 'narrow' },
        ],
      },
    ])
  })

  test('is told why it was refused', async () => {
    server.use(
      http.post(`*${path}`, () => HttpResponse.json(refusal('The run is kept no more.', 'not_found'), { status: 404 })),
    )
    const { user } = open(verification({ canApprove: true }))
    await user.click(await screen.findByRole('button', { name: 'Approve this look' }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.type(dialog.getByLabelText(/Why this is how it should look/), 'It is new')
    await user.click(dialog.getByRole('button', { name: 'Approve' }))
    expect(await dialog.findByText('The run is kept no more.')).toBeVisible()
  })
})

test('a run that is kept no more is told as such, with a way back', async () => {
  fail('/api/verification/runs/gone', 404)
  openPage('/ai-verification/runs/gone')
  expect(await screen.findByText(/Only the latest 50 are kept/)).toBeVisible()
  expect(screen.getByRole('link', { name: 'those that there are' })).toHaveAttribute('href', '/ai-verification')
})

test('our own trouble is told as such, and can be tried again', async () => {
  fail('/api/verification/runs/later')
  const { user } = openPage('/ai-verification/runs/later')
  expect(await screen.findByText('Could not load the verification')).toBeVisible()
  server.use(http.get('*/api/verification/runs/later', () => HttpResponse.json(verification())))
  await user.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await part('Result for /')).toBeVisible()
})
