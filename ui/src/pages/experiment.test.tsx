import { screen, waitFor, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { expect, test } from 'vitest'

import type { Schemas } from '@/api/client'
import { experimentQuery } from '@/api/experiments'
import { detail, editable, labNote, path, serveExperiment } from '@/test/experiment-detail'
import { idea } from '@/test/experiments'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { founder, shareholder } from '@/test/sessions'
import { fail, logIn } from '@/test/world'

type Detail = Schemas['ExperimentDetail']

const open = (one: Detail = detail(), hash = '') => {
  const lab = serveExperiment(one)
  return { lab, ...openPage(path + hash) }
}

test('shows a skeleton, then everything that is known of it', async () => {
  open()
  expect(await screen.findByText('Loading…')).toBeInTheDocument()
  expect(await screen.findByRole('heading', { level: 1, name: 'Idea number 2' })).toBeVisible()
  expect(document.title).toBe('Idea number 2 · Customer Zero')
  expect(screen.getByText('EXPERIMENT #002')).toBeVisible()
  expect(screen.getByText('Day 3, 60% complete')).toBeVisible()
  expect(screen.getByRole('progressbar', { name: 'Progress' })).toHaveAttribute('aria-valuenow', '60')
  expect(screen.getByText(/Submitted by @ana on/)).toBeVisible()
  for (const [title, text] of [
    ['Problem', 'Problem of 2: nobody knows.'],
    ['Hypothesis', 'If we build 2, then people will know, because they can look.'],
    ['Impact', 'Everybody knows more.'],
    ['Difficulty', 'Medium (1 week)'],
  ] as const) {
    expect(screen.getByRole('heading', { level: 3, name: title }).parentElement).toHaveTextContent(title + text)
  }
})

test('the plan is a list of steps in order, of tags, and of what counts as success', async () => {
  open()
  const steps = await screen.findByRole('list', { name: 'Methodology' })
  expect(steps.tagName).toBe('OL')
  const lines = (name: string) => within(screen.getByRole('list', { name })).getAllByRole('listitem')
  const texts = (name: string) => lines(name).map((line) => line.textContent)
  expect(texts('Methodology')).toEqual(['Write it down first.', 'Look every day.'])
  expect(texts('Tech stack')).toEqual(['Go', 'Temporal'])
  expect(texts('Success metrics')).toEqual(['Ten members vote.'])
})

test('without a plan and notes it says so', async () => {
  open(detail({ methodology: [], techStack: [], successMetrics: [], labNotes: [] }))
  expect(await screen.findByText('No plan yet')).toBeVisible()
  expect(screen.getByText('No lab notes yet')).toBeVisible()
})

test.each([
  ['easy', 'Easy (1-2 days)'],
  ['medium', 'Medium (1 week)'],
  ['hard', 'Hard (2+ weeks)'],
] as const)('difficulty %s comes with its estimate', async (difficulty, text) => {
  open(detail({ difficulty }))
  expect(await screen.findByText(text)).toBeVisible()
})

test.each([
  ['planning', 'Planning'],
  ['active', 'Active'],
  ['testing', 'Testing'],
  ['completed', 'Completed'],
  ['shipped', 'Shipped'],
  ['declined', 'Declined'],
] as const)('status %s has its badge', async (status, label) => {
  open(detail({ status, votes_open: !['completed', 'shipped', 'declined'].includes(status) }))
  expect(await screen.findByText(label)).toBeVisible()
  expect(screen.getByText(/3 down|▲/)).toBeVisible()
})

test('a founder sees what waits, without votes', async () => {
  logIn(founder())
  open({ ...editable(), ...idea('exp_1', { slug: '002-idea' }) })
  expect(await screen.findByText('Waiting for approval')).toBeVisible()
  expect(screen.getByText('IDEA')).toBeVisible()
  expect(screen.getByText("This waits for a founder's approval")).toBeVisible()
  expect(screen.queryByRole('button', { name: /Vote up/ })).not.toBeInTheDocument()
})

test.each([
  [{ origin: 'seed', submitter: '' }, 'An example that came with the product'],
  [{ origin: 'visitor', submitter: '' }, 'Submitted by a visitor'],
  [{ origin: 'member', submitter: '' }, 'Submitted by a member'],
  [{ origin: 'founder', submitter: 'founder_two' }, 'Submitted by @founder_two'],
] as const)('says whose idea it was: %o', async (change, text) => {
  open(detail(change))
  expect(await screen.findByText(new RegExp(`^${text} on`))).toBeVisible()
})

test('a member votes, and the page counts it', async () => {
  logIn(shareholder())
  const votes: unknown[] = []
  server.use(
    http.post('*/api/experiments/vote', async ({ request }) => {
      votes.push(await request.json())
      lab.change({ upvotes: 13, my_vote: 1 })
      return HttpResponse.json({ success: true, upvotes: 13, downvotes: 3, my_vote: 1 })
    }),
  )
  const { user, lab } = open()
  const up = await screen.findByRole('button', { name: 'Vote up: 12 votes' })
  await waitFor(() => expect(up).toHaveAttribute('aria-disabled', 'false'))
  await user.click(up)
  await waitFor(() => expect(up).toHaveAccessibleName('Vote up: 13 votes'))
  expect(up).toHaveAttribute('aria-pressed', 'true')
  expect(votes).toEqual([{ experimentId: '002', vote: 1, memberId: 'ana' }])
  expect(screen.queryByRole('link', { name: 'Join for $9 to Vote & Follow' })).not.toBeInTheDocument()
})

test('a visitor may join, follow the feed, and log in to vote', async () => {
  open()
  expect(await screen.findByRole('link', { name: 'Join for $9 to Vote & Follow' })).toHaveAttribute('href', '/pricing')
  expect(screen.getByRole('link', { name: /^Follow as a feed/ })).toHaveAttribute('href', '/feeds/experiments.xml')
  expect(screen.getByRole('link', { name: 'Login to vote' })).toHaveAttribute(
    'href',
    `/auth/signin?next=${encodeURIComponent(path)}`,
  )
})

test('when the votes are closed, the final count is there with the time and the run', async () => {
  open(
    detail({ status: 'completed', votes_open: false, votes_closed_at: '2026-11-22T08:00:00Z', reason: 'It worked.' }),
  )
  expect(await screen.findByText('Final count: 12 up, 3 down')).toBeVisible()
  expect(screen.getByText(/^The votes closed on/)).toHaveTextContent(
    /: 12 votes for it and 3 votes against it\. This count is final\.$/,
  )
  expect(screen.getByTitle('2026-11-22 08:00 UTC')).toBeVisible()
  expect(screen.getByRole('link', { name: 'Counted by this run' })).toHaveAttribute('href', '/runs/experiment:2')
  const ended = screen.getByRole('region', { name: 'How it ended' })
  expect(within(ended).getByText('It worked.')).toBeVisible()
})

test('what was declined says why', async () => {
  open(detail({ status: 'declined', votes_open: false, reason: '<b>No</b> time for it.' }))
  const why = await screen.findByRole('region', { name: 'Why it was declined' })
  expect(within(why).getByText('<b>No</b> time for it.')).toBeVisible()
  expect(screen.queryByRole('link', { name: 'Counted by this run' })).not.toBeInTheDocument()
})

test('it is asked for again every 30 seconds', () => {
  expect(experimentQuery('002-idea').refetchInterval).toBe(30_000)
})

test('an unknown slug is told, with a way back', async () => {
  serveExperiment(detail())
  openPage('/experiments/no-such-thing')
  expect(await screen.findByRole('heading', { name: 'Experiment Not Found' })).toBeVisible()
  expect(screen.getByRole('link', { name: 'Back to the experiments' })).toHaveAttribute('href', '/experiments')
})

test('a failure is told, and another try brings it', async () => {
  fail('/api/experiments/002-idea')
  const { user } = openPage(path)
  const retry = await screen.findByRole('button', { name: 'Try again' })
  expect(screen.getByText('Could not load the experiment')).toBeVisible()
  expect(screen.queryByText('sample')).not.toBeInTheDocument()
  serveExperiment(detail())
  await user.click(retry)
  expect(await screen.findByRole('heading', { level: 1, name: 'Idea number 2' })).toBeVisible()
})

test('in the place of the first experiment a sample stands in, and says so', async () => {
  fail('/api/experiments/001-public-experiments-page', 503)
  openPage('/experiments/001-public-experiments-page')
  expect(await screen.findByText('sample')).toBeVisible()
  expect(screen.getByText(/This is a sample, not our lab\./)).toBeVisible()
  expect(screen.getByRole('button', { name: 'Retry' })).toBeVisible()
})

test('an example note is marked, and names no founder', async () => {
  open(detail({ labNotes: [labNote(1, 'This is an example.', { example: true, author: '' })] }))
  const note = await screen.findByText('This is an example.')
  expect(note.closest('li')).toHaveTextContent('Example, ')
  expect(note.closest('li')).not.toHaveTextContent('@')
})

test('lab notes stand by day, the newest first, each with an address', async () => {
  open(detail({ labNotes: [labNote(3, 'Third.'), labNote(1, 'First.'), labNote(0, 'Before.')] }))
  const notes = within(await screen.findByRole('region', { name: 'Lab notes' }))
  expect(notes.getAllByRole('heading', { level: 3 }).map((title) => title.textContent)).toEqual([
    'Day 3 · 22 November 2026',
    'Day 1 · 20 November 2026',
    'Before the first day · 19 November 2026',
  ])
  expect(notes.getByRole('link', { name: 'Day 3 · 22 November 2026' })).toHaveAttribute('href', `${path}#day-3`)
  expect(document.getElementById('day-1')).toHaveTextContent('First.')
  expect(document.getElementById('day-3')).toHaveTextContent('@founder_one')
})

test('the address of a day leads to its note', async () => {
  open(detail(), '#day-1')
  await screen.findByText('The first day.')
  await waitFor(() => expect(document.getElementById('day-1')).toHaveFocus())
  expect(document.getElementById('day-1')).toHaveAttribute('data-here', 'true')
  expect(document.getElementById('day-3')).not.toHaveAttribute('data-here')
})

test('markup in every field stays text', async () => {
  const nasty = '<img src=x onerror=alert(1)><script>alert(2)</script>'
  open(
    detail({
      title: nasty,
      problem: nasty,
      hypothesis: nasty,
      impact: nasty,
      reason: nasty,
      methodology: [nasty, nasty],
      techStack: [nasty],
      successMetrics: [nasty],
    }),
  )
  expect(await screen.findByRole('heading', { level: 1, name: nasty })).toBeVisible()
  expect(screen.getAllByText(nasty)).toHaveLength(9)
  expect(document.querySelector('main img, main script')).toBeNull()
})

test('nobody but who may edit has anything to edit with', async () => {
  logIn(shareholder())
  open()
  await screen.findByText('The first day.')
  expect(screen.queryByRole('region', { name: "Founders' desk" })).not.toBeInTheDocument()
  expect(screen.queryByRole('button', { name: /Edit|Write a note|Delete/ })).not.toBeInTheDocument()
})
