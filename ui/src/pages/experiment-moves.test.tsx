import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, expect, test } from 'vitest'

import type { Schemas } from '@/api/client'
import { editable, measure, path, serveExperiment } from '@/test/experiment-detail'
import { idea } from '@/test/experiments'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { founder } from '@/test/sessions'
import { logIn, refusal } from '@/test/world'

type Detail = Schemas['ExperimentDetail']
type Move = Schemas['ExperimentMove']

beforeEach(() => logIn(founder()))

const to = (status: Move['to'], change: Partial<Move> = {}): Move => ({ to: status, needs_reason: false, ...change })

async function open(one: Detail) {
  const lab = serveExperiment(one)
  const opened = openPage(`/experiments/${one.slug}`)
  await screen.findByRole('region', { name: "Founders' desk" })
  return { lab, ...opened }
}

const planning = (change: Partial<Detail> = {}) => {
  const { started_at: _, ...rest } = editable({ status: 'planning', ...change })
  return rest
}

test('an idea is approved, and the page goes to its new address', async () => {
  const { user, lab, router } = await open({
    ...editable({ moves: [to('planning'), to('declined', { needs_reason: true })] }),
    ...idea('exp_1'),
  })
  await user.click(screen.getByRole('button', { name: 'Approve' }))
  expect(await screen.findByText('It is public now, and may be voted on.')).toBeVisible()
  expect(lab.sent).toEqual([{ what: 'move', body: { version: 2, to: 'planning' } }])
  await waitFor(() => expect(router.state.location.pathname).toBe('/experiments/007-idea'))
  expect(await screen.findByText('Planning')).toBeVisible()
})

test('what is declined needs a reason, which everybody reads', async () => {
  const { user, lab } = await open({
    ...editable({ moves: [to('planning'), to('declined', { needs_reason: true })] }),
    ...idea('exp_1'),
  })
  await user.click(screen.getByRole('button', { name: 'Decline' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.getByText('It never becomes public. This cannot be taken back.')).toBeVisible()
  expect(dialog.getByRole('button', { name: 'Decline' })).toBeDisabled()
  await user.type(dialog.getByLabelText(/^Why/), '  Not ours to do.  ')
  await user.click(dialog.getByRole('button', { name: 'Decline' }))
  expect(await screen.findByText('It is declined.')).toBeVisible()
  expect(lab.sent).toEqual([{ what: 'move', body: { version: 2, to: 'declined', reason: 'Not ours to do.' } }])
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  expect(screen.getByText('There is nowhere to go from here: it stays as it is.')).toBeVisible()
})

test('a reason of more than 300 characters is not sent', async () => {
  const { user } = await open(editable({ moves: [to('declined', { needs_reason: true })] }))
  await user.click(screen.getByRole('button', { name: 'Give it up' }))
  const dialog = within(await screen.findByRole('dialog'))
  fireEvent.change(dialog.getByLabelText(/^Why/), { target: { value: 'x'.repeat(301) } })
  expect(dialog.getByText('That is too long.')).toBeVisible()
  expect(dialog.getByRole('button', { name: 'Give it up' })).toBeDisabled()
})

test('a reason that was begun is still there when the dialog is opened again', async () => {
  const { user, router } = await open(editable({ moves: [to('declined', { needs_reason: true })] }))
  await user.click(screen.getByRole('button', { name: 'Give it up' }))
  await user.type(within(await screen.findByRole('dialog')).getByLabelText(/^Why/), 'Because')
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  await act(() => router.navigate('/experiments'))
  await user.click(await screen.findByRole('button', { name: 'Stay' }))
  await user.click(screen.getByRole('button', { name: 'Give it up' }))
  expect(await screen.findByLabelText(/^Why/)).toHaveValue('Because')
})

test.each([
  ['active', 'Start', planning({ moves: [to('active')] }), /no metric can be registered any more\./],
  [
    'active',
    'Start',
    planning({ moves: [to('active')], metric: 'members', measure: measure() }),
    /what was promised cannot be changed any more\./,
  ],
  ['completed', 'Complete', editable({ moves: [to('completed')] }), /^Its votes are counted by its run.*taken back\.$/],
  [
    'shipped',
    'Mark as shipped',
    editable({ status: 'completed', votes_open: false, moves: [to('shipped')] }),
    /^Everybody reads that.*taken back\.$/,
  ],
] as const)('to make it %s, %s is asked once more', async (status, label, one, warning) => {
  const { user, lab } = await open(one)
  await user.click(screen.getByRole('button', { name: label }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.getByText(warning)).toBeVisible()
  await user.click(dialog.getByRole('button', { name: 'Cancel' }))
  expect(lab.sent).toEqual([])
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  await user.click(screen.getByRole('button', { name: label }))
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: label }))
  await waitFor(() => expect(lab.sent).toEqual([{ what: 'move', body: { version: 2, to: status } }]))
})

test('how it ended may be said, and need not', async () => {
  const { user, lab } = await open(editable({ moves: [to('completed')] }))
  await user.click(screen.getByRole('button', { name: 'Complete' }))
  const dialog = within(await screen.findByRole('dialog'))
  await user.type(dialog.getByLabelText('How it ended, if you want to say'), 'Well.')
  await user.click(dialog.getByRole('button', { name: 'Complete' }))
  await waitFor(() => expect(screen.getByText('Well.')).toBeVisible())
  expect(lab.sent).toEqual([{ what: 'move', body: { version: 2, to: 'completed', reason: 'Well.' } }])
})

test.each([
  ['active', 'testing', 'Start testing'],
  ['testing', 'active', 'Back to active'],
] as const)('from %s to %s it goes at once', async (status, next, label) => {
  const { user, lab } = await open(editable({ status, moves: [to(next)] }))
  await user.click(screen.getByRole('button', { name: label }))
  await waitFor(() => expect(lab.sent).toEqual([{ what: 'move', body: { version: 2, to: next } }]))
})

test('a way that is closed for now says why', async () => {
  const why = 'A metric is registered: its run sets the verdict.'
  const { user, lab } = await open(editable({ moves: [to('completed', { refused: why })] }))
  const button = screen.getByRole('button', { name: 'Complete' })
  expect(button).toHaveAttribute('aria-disabled', 'true')
  expect(button).toHaveAccessibleDescription(why)
  await user.click(button)
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
  expect(lab.sent).toEqual([])
})

test('a move from an older version is refused, and can be sent again', async () => {
  const { user, lab } = await open(editable({ moves: [to('testing')] }))
  lab.change({ title: 'Their title' })
  await user.click(screen.getByRole('button', { name: 'Start testing' }))
  expect(await screen.findByRole('alert', { name: 'Someone else has changed this.' })).toBeVisible()
  expect(screen.getByRole('heading', { level: 1, name: 'Their title' })).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Start testing' }))
  expect(await screen.findByText('It is being tested.')).toBeVisible()
  expect(lab.sent.map(({ body }) => body.version)).toEqual([2, 3])
})

test('a move that is refused says why, and keeps the reason', async () => {
  const { user } = await open(editable({ moves: [to('declined', { needs_reason: true })] }))
  server.use(
    http.post('*/api/experiments/:slug/move', () =>
      HttpResponse.json(refusal('It is declined already.', 'move_refused'), { status: 409 }),
    ),
  )
  await user.click(screen.getByRole('button', { name: 'Give it up' }))
  const dialog = within(await screen.findByRole('dialog'))
  await user.type(dialog.getByLabelText(/^Why/), 'Because')
  await user.click(dialog.getByRole('button', { name: 'Give it up' }))
  expect(await dialog.findByText('It is declined already.')).toBeVisible()
  expect(dialog.getByLabelText(/^Why/)).toHaveValue('Because')
})

const fill = (label: string | RegExp, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } })

test('a metric is registered with its threshold and its date', async () => {
  const { user, lab } = await open(planning())
  await user.click(screen.getByRole('button', { name: 'Register a metric' }))
  await waitFor(() => expect(screen.getByLabelText('What is measured')).toHaveFocus())
  expect(screen.getByLabelText('What is measured')).toHaveAccessibleDescription(
    'Posts published since the experiment became active.',
  )
  fill(/^At least, in posts/, '40')
  await user.selectOptions(screen.getByLabelText('What is measured'), 'Median time to heal')
  expect(screen.getByLabelText('What is measured')).toHaveAccessibleDescription(
    'Median time to heal of chaos runs since the experiment became active.',
  )
  fill(/^At most, in seconds/, '12.5')
  fill('Time zone', 'Europe/Berlin')
  fill(/^Date and time/, '2027-11-30T13:00')
  await user.click(screen.getByRole('button', { name: 'Register' }))
  expect(await screen.findByText('The metric is registered.')).toBeVisible()
  expect(lab.sent).toEqual([
    { what: 'metric', body: { version: 2, metric: 'heal_time', threshold: 12.5, due_at: '2027-11-30T12:00:00.000Z' } },
  ])
  expect(screen.getByRole('region', { name: 'What is measured' })).toBeVisible()
  await waitFor(() => expect(screen.getByRole('button', { name: 'Change the metric' })).toHaveFocus())
})

test.each([
  ['Posts published', /^At least, in posts/],
  ['Success rate', /^At least, in percent/],
  ['Median time to heal', /^At most, in seconds/],
  ['Members', /^At least, in members/],
  ['Conversion', /^At least, in percent/],
])('the threshold of %s has its unit', async (name, label) => {
  const { user } = await open(planning())
  await user.click(screen.getByRole('button', { name: 'Register a metric' }))
  await user.selectOptions(screen.getByLabelText('What is measured'), name)
  expect(screen.getByLabelText(label)).toBeVisible()
})

test('what is promised can be changed or taken back until it begins', async () => {
  const { user, lab } = await open(planning({ metric: 'posts_published', measure: measure({ points: [] }) }))
  await user.click(screen.getByRole('button', { name: 'Change the metric' }))
  expect(screen.getByLabelText(/^At least, in posts/)).toHaveValue(40)
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  await user.click(screen.getByRole('button', { name: 'Take the metric back' }))
  expect(await screen.findByText('The metric is taken back.')).toBeVisible()
  expect(lab.sent).toEqual([{ what: 'no metric', body: { version: 2 } }])
  expect(screen.queryByRole('region', { name: 'What is measured' })).not.toBeInTheDocument()
  await waitFor(() => expect(screen.getByRole('button', { name: 'Register a metric' })).toHaveFocus())
})

test.each(['waiting', 'active', 'testing', 'completed', 'shipped', 'declined'] as const)(
  'nothing is promised while it is %s',
  async (status) => {
    await open(editable({ status }))
    expect(screen.queryByRole('button', { name: /metric$|metric back$/ })).not.toBeInTheDocument()
  },
)

test('a refusal stands at the threshold and at the date', async () => {
  const details = [
    { field: 'body.threshold', reason: 'must be a percentage from 0 to 100' },
    { field: 'body.due_at', reason: 'must be between 1 hour and 365 days from now' },
  ]
  const { user } = await open(planning())
  server.use(
    http.put('*/api/experiments/:slug/metric', () =>
      HttpResponse.json({ ...refusal('The request does not fit: see details.', 'invalid'), details }, { status: 422 }),
    ),
  )
  await user.click(screen.getByRole('button', { name: 'Register a metric' }))
  fill(/^At least, in posts/, '40')
  await user.click(screen.getByRole('button', { name: 'Register' }))
  await waitFor(() =>
    expect(screen.getByLabelText(/^At least, in posts/)).toHaveAccessibleDescription(
      'must be a percentage from 0 to 100',
    ),
  )
  expect(screen.getByLabelText(/^Date and time/)).toHaveAccessibleDescription(
    'must be between 1 hour and 365 days from now',
  )
  await waitFor(() => expect(screen.getByLabelText(/^At least, in posts/)).toHaveFocus())
})

test('a metric that is locked meanwhile says so, and what was typed stays', async () => {
  const { user } = await open(planning())
  server.use(
    http.put('*/api/experiments/:slug/metric', () =>
      HttpResponse.json(refusal("The metric can't be changed once the experiment is active.", 'metric_locked'), {
        status: 409,
      }),
    ),
  )
  await user.click(screen.getByRole('button', { name: 'Register a metric' }))
  fill(/^At least, in posts/, '40')
  await user.click(screen.getByRole('button', { name: 'Register' }))
  expect(await screen.findByText("The metric can't be changed once the experiment is active.")).toBeVisible()
  expect(screen.getByLabelText(/^At least, in posts/)).toHaveValue(40)
})

test('the address of an experiment of others that waits tells nothing', async () => {
  server.use(
    http.get('*/api/experiments/:slug', () =>
      HttpResponse.json(refusal('There is no such experiment.', 'not_found'), { status: 404 }),
    ),
  )
  openPage(path)
  expect(await screen.findByRole('heading', { name: 'Experiment Not Found' })).toBeVisible()
})
