import { act, screen, waitFor, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, expect, test } from 'vitest'

import type { Schemas } from '@/api/client'
import { experimentQuery } from '@/api/experiments'
import { editable, path, serveExperiment } from '@/test/experiment-detail'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { founder } from '@/test/sessions'
import { logIn, refusal } from '@/test/world'

type Detail = Schemas['ExperimentDetail']

beforeEach(() => logIn(founder()))

async function open(one: Detail = editable()) {
  const lab = serveExperiment(one)
  const opened = openPage(path)
  await opened.user.click(await screen.findByRole('button', { name: 'Edit what it says' }))
  return { lab, ...opened }
}

type User = Awaited<ReturnType<typeof open>>['user']

async function write(user: User, label: string, text: string) {
  const field = screen.getByLabelText(label)
  await user.clear(field)
  await user.paste(text)
}

const save = (user: User) => user.click(screen.getByRole('button', { name: 'Save' }))
const outdated = () => screen.findByRole('alert', { name: 'Someone else has changed this.' })

test('sends what was changed, and the version that was seen', async () => {
  const { user, lab } = await open()
  expect(screen.getByRole('button', { name: 'Save' })).toHaveAttribute('aria-disabled', 'true')
  await write(user, 'Title', 'A better title')
  await user.selectOptions(screen.getByLabelText('Difficulty'), 'Hard (2+ weeks)')
  await write(user, 'Progress, in percent', '75')
  expect(screen.getByLabelText('Progress, as a slider')).toHaveValue('75')
  expect(screen.getByText('Not saved yet.')).toBeVisible()
  await save(user)
  expect(await screen.findByText('The experiment is saved.')).toBeVisible()
  expect(lab.sent).toEqual([
    { what: 'edit', body: { version: 2, title: 'A better title', difficulty: 'hard', progress: 75 } },
  ])
  expect(screen.getByRole('heading', { level: 1, name: 'A better title' })).toBeVisible()
  await waitFor(() => expect(screen.getByRole('button', { name: 'Edit what it says' })).toHaveFocus())
})

test.each([
  ['Problem', 'problem'],
  ['Hypothesis', 'hypothesis'],
  ['Impact', 'impact'],
])('%s can be written', async (label, name) => {
  const { user, lab } = await open()
  await write(user, label, 'Something that is long enough.')
  await save(user)
  await waitFor(() =>
    expect(lab.sent).toEqual([{ what: 'edit', body: { version: 2, [name]: 'Something that is long enough.' } }]),
  )
})

test('lines of a list are added, moved, removed and written, and the focus goes along', async () => {
  const { user, lab } = await open()
  const steps = within(screen.getByRole('group', { name: 'Methodology' }))
  await user.click(steps.getByRole('button', { name: 'Add a step' }))
  await waitFor(() => expect(steps.getByLabelText('Step 3')).toHaveFocus())
  await user.keyboard('Third.')
  await user.click(steps.getByRole('button', { name: 'Move step 3 up' }))
  await waitFor(() => expect(steps.getByLabelText('Step 2')).toHaveFocus())
  expect(steps.getByLabelText('Step 2')).toHaveValue('Third.')
  await user.click(steps.getByRole('button', { name: 'Move step 1 down' }))
  await user.click(steps.getByRole('button', { name: 'Remove step 3' }))
  await waitFor(() => expect(steps.getByLabelText('Step 2')).toHaveFocus())
  expect(steps.getByRole('button', { name: 'Move step 1 up' })).toBeDisabled()
  expect(steps.getByRole('button', { name: 'Move step 2 down' })).toBeDisabled()
  const tags = within(screen.getByRole('group', { name: 'Tech stack' }))
  await user.click(tags.getByRole('button', { name: 'Add a tag' })) // and left empty
  const metrics = within(screen.getByRole('group', { name: 'Success metrics' }))
  await user.click(metrics.getByRole('button', { name: 'Remove metric 1' }))
  await save(user)
  await screen.findByText('The experiment is saved.')
  expect(lab.sent).toEqual([
    { what: 'edit', body: { version: 2, methodology: ['Third.', 'Write it down first.'], successMetrics: [] } },
  ])
})

test('a list takes twenty lines and no more', async () => {
  await open(editable({ techStack: Array.from({ length: 20 }, (_, i) => `Tag ${i}`) }))
  expect(screen.getByRole('button', { name: 'Add a tag' })).toBeDisabled()
})

test('a refusal stands at the fields it is about, and nothing typed is lost', async () => {
  const details = [
    { field: 'body.title', reason: 'must have at least 5 characters' },
    { field: 'body.methodology[1]', reason: 'must be one line' },
  ]
  const { user } = await open()
  server.use(
    http.patch('*/api/experiments/:slug', () =>
      HttpResponse.json({ ...refusal('The request does not fit: see details.', 'invalid'), details }, { status: 422 }),
    ),
  )
  await write(user, 'Title', 'No')
  await save(user)
  await waitFor(() =>
    expect(screen.getByLabelText('Title')).toHaveAccessibleDescription('must have at least 5 characters'),
  )
  await waitFor(() => expect(screen.getByLabelText('Title')).toHaveFocus())
  expect(screen.getByLabelText('Title')).toHaveValue('No')
  expect(screen.getByRole('group', { name: 'Methodology' })).toHaveAccessibleDescription('Line 2: must be one line')
  expect(screen.queryByText('The request does not fit: see details.')).not.toBeInTheDocument()
})

test('what is about no field is told above the buttons', async () => {
  const { user } = await open()
  server.use(
    http.patch('*/api/experiments/:slug', () =>
      HttpResponse.json(
        { ...refusal('That cannot be.', 'invalid'), details: [{ field: 'body', reason: 'unknown field' }] },
        { status: 422 },
      ),
    ),
  )
  await write(user, 'Title', 'Another title')
  await save(user)
  expect(await screen.findByText('unknown field')).toBeVisible()
  expect(screen.getByText('That cannot be.')).toBeVisible()
})

test('a change of somebody else is shown beside mine, and mine is sent only when I say so', async () => {
  const { user, lab } = await open()
  await write(user, 'Problem', 'The problem as I see it.')
  lab.change({ problem: 'The problem as they see it.', impact: 'Their impact.' })
  await save(user)
  const told = await outdated()
  expect(within(told).getByRole('figure', { name: 'Problem, theirs' })).toHaveTextContent('The problem as they see it.')
  expect(within(told).getByRole('figure', { name: 'Problem, yours' })).toHaveTextContent('The problem as I see it.')
  expect(within(told).getByText('They also changed: Impact. That stays as they wrote it.')).toBeVisible()
  await waitFor(() => expect(told).toHaveFocus())
  expect(screen.getByLabelText('Problem')).toHaveValue('The problem as I see it.')
  expect(screen.getByRole('button', { name: 'Save' })).toHaveAttribute('aria-disabled', 'true')
  await user.click(within(told).getByRole('button', { name: 'Keep mine' }))
  await screen.findByText('The experiment is saved.')
  expect(lab.sent.map(({ body }) => body)).toEqual([
    { version: 2, problem: 'The problem as I see it.' },
    { version: 3, problem: 'The problem as I see it.' },
  ])
  expect(screen.getByText('Their impact.')).toBeVisible()
})

test('whoever looks at theirs can still copy what was typed', async () => {
  const { user, lab } = await open()
  await write(user, 'Problem', 'The problem as I see it.')
  lab.change({ problem: 'The problem as they see it.' })
  await save(user)
  await user.click(within(await outdated()).getByRole('button', { name: 'See theirs' }))
  expect(screen.getByLabelText('Problem')).toHaveValue('The problem as they see it.')
  const kept = screen.getByRole('alert', { name: 'What you had written' })
  await waitFor(() => expect(kept).toHaveFocus())
  expect(within(kept).getByText('The problem as I see it.')).toBeVisible()
  await user.click(within(kept).getByRole('button', { name: 'Copy problem' }))
  expect(await navigator.clipboard.readText()).toBe('The problem as I see it.')
  await user.click(within(kept).getByRole('button', { name: 'I have what I need' }))
  expect(kept).not.toBeInTheDocument()
  expect(lab.sent).toHaveLength(1)
})

test('lists that both changed are told apart, too', async () => {
  const { user, lab } = await open()
  await user.type(screen.getByLabelText('Step 1'), ' Twice.')
  lab.change({ methodology: ['Only theirs.'] })
  await save(user)
  const told = await outdated()
  expect(within(told).getByRole('figure', { name: 'Methodology, theirs' })).toHaveTextContent('Only theirs.')
  expect(within(told).getByRole('figure', { name: 'Methodology, yours' })).toHaveTextContent(
    'Write it down first. Twice. Look every day.',
  )
})

test('a change that comes while one writes is told at once, and follows where nothing was typed', async () => {
  const { user, lab, queryClient } = await open()
  const refetchAll = () => act(() => queryClient.invalidateQueries({ queryKey: experimentQuery('002-idea').queryKey }))
  lab.change({ title: 'Their title' })
  await refetchAll()
  await waitFor(() => expect(screen.getByLabelText('Title')).toHaveValue('Their title'))
  await write(user, 'Title', 'My title')
  lab.change({ title: 'Their other title' })
  await refetchAll()
  expect(within(await outdated()).getByRole('figure', { name: 'Title, theirs' })).toHaveTextContent('Their other title')
  expect(screen.getByLabelText('Title')).toHaveValue('My title')
  expect(lab.sent).toEqual([])
})

test('a move in between changes nothing in the form: it says so, and saving again does it', async () => {
  const { user, lab } = await open()
  await write(user, 'Title', 'My title')
  lab.change({ status: 'testing' })
  await save(user)
  expect(await screen.findByText(/^What you see now is the newest\./)).toBeVisible()
  expect(screen.queryByRole('button', { name: 'Keep mine' })).not.toBeInTheDocument()
  await waitFor(() => expect(screen.getByText('Testing')).toBeVisible())
  await save(user)
  await screen.findByText('The experiment is saved.')
  expect(lab.sent.map(({ body }) => body.version)).toEqual([2, 3])
})

test('what was typed is thrown away only by somebody who says so', async () => {
  const { user } = await open()
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  await user.click(screen.getByRole('button', { name: 'Edit what it says' }))
  await write(user, 'Title', 'My title')
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  await user.click(screen.getByRole('button', { name: 'Keep writing' }))
  expect(screen.getByLabelText('Title')).toHaveValue('My title')
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  await user.click(screen.getByRole('button', { name: 'Throw it away' }))
  expect(screen.queryByLabelText('Title')).not.toBeInTheDocument()
})

test('asks before changes are left behind, and lets people stay', async () => {
  const { user, router } = await open()
  await write(user, 'Title', 'My title')
  await act(() => router.navigate(`${path}#day-3`)) // the same page
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
  await act(() => router.navigate('/experiments'))
  await user.click(await screen.findByRole('button', { name: 'Stay' }))
  expect(router.state.location.pathname).toBe(path)
  expect(screen.getByLabelText('Title')).toHaveValue('My title')
  await act(() => router.navigate('/experiments'))
  await user.click(await screen.findByRole('button', { name: 'Leave' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/experiments'))
})

test('the browser asks, too, before the tab is closed', async () => {
  const { user } = await open()
  const closing = () => {
    const event = new Event('beforeunload', { cancelable: true })
    window.dispatchEvent(event)
    return event.defaultPrevented
  }
  expect(closing()).toBe(false)
  await write(user, 'Title', 'My title')
  expect(closing()).toBe(true)
})

test('a form that is open stays when the session ends', async () => {
  const { user, lab, queryClient } = await open()
  await write(user, 'Title', 'My title')
  lab.change({ can_edit: false })
  await act(() => queryClient.invalidateQueries({ queryKey: experimentQuery('002-idea').queryKey }))
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Write a note' })).not.toBeInTheDocument())
  expect(screen.getByLabelText('Title')).toHaveValue('My title')
})
