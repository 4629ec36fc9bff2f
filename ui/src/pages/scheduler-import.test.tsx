import { screen, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, expect, test } from 'vitest'

import type { Schemas } from '@/api/client'
import { ImportPanel } from '@/features/scheduler/import-panel'
import { controls, refuse } from '@/test/compose'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { founder, shareholder, visitor } from '@/test/sessions'
import { logIn, serve } from '@/test/world'

const csv = 'text,scheduled_at\nGood,\nLate,2020-01-01 09:00\nGood again,\n'

const reply = (dryRun: boolean): Schemas['ImportReply'] => ({
  success: true,
  dryRun,
  imported: 1,
  refused: 1,
  duplicates: 1,
  lines: [
    { line: 2, content: 'Good', outcome: 'imported' },
    { line: 3, content: 'Late', outcome: 'refused', code: 'date_past', reason: 'That time has passed.' },
    { line: 4, content: 'Good again', outcome: 'duplicate', reason: 'Another open post has this text.' },
  ],
})

let sent: { dryRun: boolean; type: string | null; file: string }[] = []

beforeEach(() => {
  sent = []
  logIn(founder())
  serve({ '/api/posting-controls': controls() })
  server.use(
    http.post('*/api/posts/import', async ({ request }) => {
      const dryRun = new URL(request.url).searchParams.get('dryRun') === 'true'
      sent.push({ dryRun, type: request.headers.get('Content-Type'), file: await request.text() })
      return HttpResponse.json(reply(dryRun))
    }),
  )
})

const open = () => openPage('/import', [{ path: '/import', element: <ImportPanel timezone="Europe/Berlin" /> }])

const file = (text: string) => new File([text], 'plan.csv', { type: 'text/csv' })

test('a file is looked at first, then imported on purpose', async () => {
  const { user } = open()
  await user.upload(await screen.findByLabelText(/Choose a CSV file/), file(csv))
  expect(await screen.findByRole('heading', { name: 'plan.csv' })).toHaveFocus()
  expect(screen.getByText('1 post will be written, 1 line refused, 1 line there already.')).toBeVisible()
  const late = within(screen.getByRole('row', { name: /Late/ }))
  expect(late.getByText('Refused')).toBeVisible()
  expect(late.getByText('That time has passed.')).toBeVisible()
  expect(sent).toEqual([{ dryRun: true, type: 'text/csv', file: csv }])

  await user.click(screen.getByRole('button', { name: 'Import 1 post' }))
  expect(await screen.findByRole('heading', { name: '1 post written' })).toHaveFocus()
  expect(sent[1]).toEqual({ dryRun: false, type: 'text/csv', file: csv })
  expect(screen.getByRole('link', { name: 'See them in the calendar' })).toHaveAttribute('href', '/scheduler?view=week')
  expect(screen.queryByRole('button', { name: /^Import/ })).not.toBeInTheDocument()
})

test('lines are pasted, and the good ones can be hidden', async () => {
  const { user } = open()
  await user.click(await screen.findByLabelText('Or paste the lines here'))
  await user.paste(csv)
  await user.click(screen.getByRole('button', { name: 'Check the lines' }))
  expect(await screen.findByRole('cell', { name: 'Good' })).toBeVisible()
  await user.click(screen.getByRole('switch', { name: 'Only lines with trouble' }))
  expect(screen.queryByRole('cell', { name: 'Good' })).not.toBeInTheDocument()
  expect(screen.getByRole('cell', { name: 'Late' })).toBeVisible()
  expect(sent[0]?.file).toBe(csv)
})

test('a file that is refused whole says where', async () => {
  refuse('post', '/api/posts/import', 422, 'csv_invalid', 'Line 3, column 7: bare " in a field. Nothing was imported.')
  const { user } = open()
  await user.upload(await screen.findByLabelText(/Choose a CSV file/), file('text\n"'))
  expect(await screen.findByRole('alert')).toHaveTextContent('Line 3, column 7')
  expect(screen.getByLabelText(/Choose a CSV file/)).toBeVisible()
})

test('a file of more than 1 MB is not sent', async () => {
  const { user } = open()
  await user.upload(await screen.findByLabelText(/Choose a CSV file/), file('x'.repeat(1_048_577)))
  expect(await screen.findByRole('alert')).toHaveTextContent('more than 1 MB')
  expect(sent).toEqual([])
})

test('an import that is cut off says that trying again is safe', async () => {
  const { user } = open()
  await user.upload(await screen.findByLabelText(/Choose a CSV file/), file(csv))
  server.use(http.post('*/api/posts/import', () => HttpResponse.error()))
  await user.click(await screen.findByRole('button', { name: 'Import 1 post' }))
  expect(await screen.findByText(/what is there is not written twice/)).toBeVisible()
  expect(screen.getByRole('button', { name: 'Import 1 post' })).toBeVisible()
})

test('a member learns that a founder reads each post first', async () => {
  logIn(shareholder())
  serve({ '/api/posting-controls': controls({ approval: true }) })
  const { user } = open()
  await user.upload(await screen.findByLabelText(/Choose a CSV file/), file(csv))
  expect(await screen.findByText('Each of these posts waits until a founder approves it.')).toBeVisible()
})

test('the columns are explained, with an example that has today’s zone', async () => {
  const { user } = open()
  await user.click(await screen.findByText('What stands in the columns'))
  const href = screen.getByRole('link', { name: 'Download an example' }).getAttribute('href') ?? ''
  expect(decodeURIComponent(href)).toMatch(
    /^data:text\/csv.*text,scheduled_at,timezone,made_with_ai\r\n.*Europe\/Berlin/,
  )
})

test('a visitor is shown who may import', async () => {
  logIn(visitor())
  open()
  expect(await screen.findByText(/Only members can import posts/)).toBeVisible()
  expect(screen.queryByLabelText(/Choose a CSV file/)).not.toBeInTheDocument()
})
