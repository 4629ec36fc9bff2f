import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, expect, test } from 'vitest'

import type { Schemas } from '@/api/client'
import { experimentQuery } from '@/api/experiments'
import { editable, labNote, path, serveExperiment } from '@/test/experiment-detail'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { founder } from '@/test/sessions'
import { logIn, refusal } from '@/test/world'

type Detail = Schemas['ExperimentDetail']

beforeEach(() => logIn(founder()))

async function open(one: Detail = editable()) {
  const lab = serveExperiment(one)
  const opened = openPage(path)
  await screen.findByRole('button', { name: 'Write a note' })
  const refetchAll = () =>
    act(() => opened.queryClient.invalidateQueries({ queryKey: experimentQuery('002-idea').queryKey }))
  return { lab, refetchAll, ...opened }
}

const third = 'Day 3 · 22 November 2026'
const field = () => screen.getByLabelText('Note, in Markdown')
const put = (text: string) => fireEvent.change(field(), { target: { value: text } })
const setDay = (date: string) => fireEvent.change(screen.getByLabelText('Day'), { target: { value: date } })

test('a note of a day without one is written, and stands there', async () => {
  const { user, lab } = await open()
  await user.click(screen.getByRole('button', { name: 'Write a note' }))
  await waitFor(() => expect(field()).toHaveFocus())
  setDay('2026-11-21')
  await user.type(field(), 'What we **learnt**.')
  expect(screen.getByText(/^19 of 8,000 characters/)).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Save the note' }))
  expect(await screen.findByText('The note of 21 November 2026 is saved.')).toBeVisible()
  expect(lab.sent).toEqual([{ what: 'note 2026-11-21', body: { version: 0, content: 'What we **learnt**.' } }])
  const notes = within(screen.getByRole('region', { name: 'Lab notes' }))
  expect(notes.getAllByRole('heading', { level: 3 }).map((title) => title.textContent)).toEqual([
    third,
    'Day 2 · 21 November 2026',
    'Day 1 · 20 November 2026',
  ])
  expect((await notes.findByText('learnt')).tagName).toBe('STRONG')
})

test('another day brings its own note, and takes along what is typed where there is none', async () => {
  const { user, lab } = await open()
  await user.click(screen.getByRole('button', { name: 'Write a note' }))
  setDay('2026-11-22')
  expect(field()).toHaveValue('The **third** day.')
  setDay('2026-11-20')
  expect(field()).toHaveValue('The first day.')
  setDay('2026-11-21')
  expect(field()).toHaveValue('')
  put('Of the day before.')
  setDay('2026-11-18')
  await user.click(screen.getByRole('button', { name: 'Save the note' }))
  await screen.findByText('The note of 18 November 2026 is saved.')
  expect(lab.sent).toEqual([{ what: 'note 2026-11-18', body: { version: 0, content: 'Of the day before.' } }])
})

test('the day is today unless somebody says otherwise', async () => {
  const { user } = await open()
  await user.click(screen.getByRole('button', { name: 'Write a note' }))
  expect(screen.getByLabelText('Day')).toHaveValue(new Date().toISOString().slice(0, 10))
})

test('a note is changed over the version that was read, and Ctrl+Enter saves it', async () => {
  const { user, lab } = await open()
  await user.click(screen.getByRole('button', { name: `Edit the note ${third}` }))
  expect(field()).toHaveValue('The **third** day.')
  await user.type(field(), ' More.')
  await user.keyboard('{Control>}{Enter}{/Control}')
  await screen.findByText('The note of 22 November 2026 is saved.')
  expect(lab.sent).toEqual([{ what: 'note 2026-11-22', body: { version: 1, content: 'The **third** day. More.' } }])
  await waitFor(() => expect(document.getElementById('day-3')).toHaveFocus())
  expect(document.getElementById('day-3')).toHaveTextContent('The third day. More.')
})

test('Enter alone is a new line', async () => {
  const { user, lab } = await open()
  await user.click(screen.getByRole('button', { name: `Edit the note ${third}` }))
  await user.type(field(), '{Enter}More.')
  expect(field()).toHaveValue('The **third** day.\nMore.')
  expect(lab.sent).toEqual([])
})

test('the preview shows the note as it will be, and follows', async () => {
  const { user } = await open()
  await user.click(screen.getByRole('button', { name: 'Write a note' }))
  put('# Title\n\n<script>alert(1)</script>')
  expect(screen.queryByRole('group', { name: 'Preview' })).not.toBeInTheDocument()
  await user.click(screen.getByRole('button', { name: 'Preview' }))
  const preview = within(screen.getByRole('group', { name: 'Preview' }))
  expect(await preview.findByRole('heading', { name: 'Title' })).toBeVisible()
  expect(preview.getByText('<script>alert(1)</script>')).toBeVisible()
  put('# Other')
  expect(await preview.findByRole('heading', { name: 'Other' })).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Hide the preview' }))
  expect(screen.queryByRole('group', { name: 'Preview' })).not.toBeInTheDocument()
})

test('more than 8,000 characters are not sent, and not cut either', async () => {
  const { user, lab } = await open()
  await user.click(screen.getByRole('button', { name: 'Write a note' }))
  setDay('2026-11-21')
  put('é'.repeat(8_001))
  expect(field()).toHaveAccessibleDescription(/That is too long\./)
  await user.type(field(), '{Control>}{Enter}{/Control}')
  expect(field()).toHaveValue('é'.repeat(8_001))
  expect(lab.sent).toEqual([])
  put('🙂'.repeat(8_000)) // counted as people count
  await user.click(screen.getByRole('button', { name: 'Save the note' }))
  await screen.findByText('The note of 21 November 2026 is saved.')
})

test('an empty note is not sent', async () => {
  const { user, lab } = await open()
  await user.click(screen.getByRole('button', { name: 'Write a note' }))
  setDay('2026-11-21')
  put('   ')
  await user.click(screen.getByRole('button', { name: 'Save the note' }))
  expect(screen.getByRole('button', { name: 'Save the note' })).toHaveAttribute('aria-disabled', 'true')
  expect(lab.sent).toEqual([])
})

test('two people writing one note both keep what they wrote', async () => {
  const { user, lab } = await open()
  await user.click(screen.getByRole('button', { name: `Edit the note ${third}` }))
  put('My third day.')
  lab.putNotes([labNote(3, 'Their third day.', { version: 2 }), labNote(1, 'The first day.')])
  await user.click(screen.getByRole('button', { name: 'Save the note' }))
  const told = await screen.findByRole('alert', { name: 'Someone else has changed this.' })
  expect(within(told).getByRole('figure', { name: 'Note, theirs' })).toHaveTextContent('Their third day.')
  expect(within(told).getByRole('figure', { name: 'Note, yours' })).toHaveTextContent('My third day.')
  await user.click(within(told).getByRole('button', { name: 'See theirs' }))
  expect(field()).toHaveValue('Their third day.')
  expect(within(screen.getByRole('alert', { name: 'What you had written' })).getByText('My third day.')).toBeVisible()
  expect(lab.sent).toHaveLength(1)
})

test('keeping mine writes over the newest version', async () => {
  const { user, lab } = await open()
  await user.click(screen.getByRole('button', { name: `Edit the note ${third}` }))
  put('My third day.')
  lab.putNotes([labNote(3, 'Their third day.', { version: 5 }), labNote(1, 'The first day.')])
  await user.click(screen.getByRole('button', { name: 'Save the note' }))
  await user.click(await screen.findByRole('button', { name: 'Keep mine' }))
  await screen.findByText('The note of 22 November 2026 is saved.')
  expect(lab.sent.map(({ body }) => body.version)).toEqual([1, 5])
})

test('a day that has a note already is not written over unread', async () => {
  const { user, lab } = await open()
  await user.click(screen.getByRole('button', { name: 'Write a note' }))
  setDay('2026-11-21')
  put('Written in ignorance.')
  setDay('2026-11-22')
  const told = await screen.findByRole('alert', { name: 'That day has a note already.' })
  expect(within(told).getByRole('figure', { name: 'Note, theirs' })).toHaveTextContent('The **third** day.')
  await user.type(field(), '{Control>}{Enter}{/Control}')
  expect(lab.sent).toEqual([])
  setDay('2026-11-21')
  expect(told).not.toBeInTheDocument()
  await user.click(screen.getByRole('button', { name: 'Save the note' }))
  await screen.findByText('The note of 21 November 2026 is saved.')
  expect(lab.sent).toEqual([{ what: 'note 2026-11-21', body: { version: 0, content: 'Written in ignorance.' } }])
})

test('a note that is deleted while somebody changes it can still be written', async () => {
  const { user, lab, refetchAll } = await open()
  await user.click(screen.getByRole('button', { name: `Edit the note ${third}` }))
  put('My third day.')
  lab.putNotes([labNote(1, 'The first day.')])
  await refetchAll()
  const told = await screen.findByRole('alert', { name: 'Someone else has changed this.' })
  expect(within(told).getByRole('figure', { name: 'Note, theirs' })).toHaveTextContent('Nothing.')
  expect(field()).toHaveValue('My third day.')
  await user.click(within(told).getByRole('button', { name: 'Keep mine' }))
  await screen.findByText('The note of 22 November 2026 is saved.')
  expect(lab.sent).toEqual([{ what: 'note 2026-11-22', body: { version: 0, content: 'My third day.' } }])
})

test('a deleted note comes back with Undo', async () => {
  const { user, lab } = await open()
  await user.click(screen.getByRole('button', { name: `Delete the note ${third}` }))
  expect(await screen.findByText('The note of 22 November 2026 is deleted.')).toBeVisible()
  expect(screen.queryByText(third)).not.toBeInTheDocument()
  await waitFor(() => expect(screen.getByRole('button', { name: 'Write a note' })).toHaveFocus())
  await user.click(screen.getByRole('button', { name: 'Undo' }))
  expect(await screen.findByText('The note of 22 November 2026 is back.')).toBeVisible()
  expect(screen.getByText(third)).toBeVisible()
  expect(lab.sent).toEqual([
    { what: 'no note 2026-11-22', body: { version: 1 } },
    { what: 'note 2026-11-22', body: { version: 0, content: 'The **third** day.' } },
  ])
})

test('a note that changed meanwhile is not deleted', async () => {
  const { user, lab } = await open()
  lab.putNotes([labNote(3, 'Their third day.', { version: 2 })])
  await user.click(screen.getByRole('button', { name: `Delete the note ${third}` }))
  expect(await screen.findByText('The note was not deleted')).toBeVisible()
  expect(await screen.findByText('Their third day.')).toBeVisible()
})

test('when it cannot come back, that is told', async () => {
  const { user, lab } = await open()
  await user.click(screen.getByRole('button', { name: `Delete the note ${third}` }))
  await screen.findByText('The note of 22 November 2026 is deleted.')
  lab.putNotes([labNote(3, 'Somebody was faster.', { version: 1 })])
  await user.click(screen.getByRole('button', { name: 'Undo' }))
  expect(await screen.findByText('The note of 22 November 2026 did not come back')).toBeVisible()
})

test('a refusal stands at the day or at the text', async () => {
  const { user } = await open()
  server.use(
    http.put('*/api/experiments/:slug/notes/:date', () =>
      HttpResponse.json(
        {
          ...refusal('Date must not be in the future (UTC).', 'invalid'),
          details: [{ field: 'body.date', reason: 'must not be in the future (UTC)' }],
        },
        { status: 422 },
      ),
    ),
  )
  await user.click(screen.getByRole('button', { name: 'Write a note' }))
  setDay('2026-11-21')
  put('From the future.')
  await user.click(screen.getByRole('button', { name: 'Save the note' }))
  await waitFor(() =>
    expect(screen.getByLabelText('Day')).toHaveAccessibleDescription(/must not be in the future \(UTC\)/),
  )
  expect(field()).toHaveValue('From the future.')
})

test('asks before a note that is not saved is left behind', async () => {
  const { user, router } = await open()
  await user.click(screen.getByRole('button', { name: 'Write a note' }))
  put('Half a thought')
  await act(() => router.navigate('/experiments'))
  await user.click(await screen.findByRole('button', { name: 'Stay' }))
  expect(field()).toHaveValue('Half a thought')
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  await user.click(screen.getByRole('button', { name: 'Throw it away' }))
  await waitFor(() => expect(screen.getByRole('button', { name: 'Write a note' })).toHaveFocus())
})
