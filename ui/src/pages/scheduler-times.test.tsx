import { act, screen, waitFor, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, expect, test } from 'vitest'

import type { Schemas } from '@/api/client'
import { PostingTimesPanel } from '@/features/scheduler/posting-times-panel'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { founder, shareholder, visitor } from '@/test/sessions'
import { logIn, refusal, serve } from '@/test/world'

const postingTimes = (change: Partial<Schemas['PostingTimes']> = {}): Schemas['PostingTimes'] => ({
  times: [
    { weekday: 1, time: '09:00' },
    { weekday: 3, time: '09:00' },
    { weekday: 6, time: '11:30' },
  ],
  timezone: 'Europe/Berlin',
  quietFrom: '22:00',
  quietTo: '07:00',
  minGapMinutes: 60,
  version: 3,
  ...change,
})

let saved = postingTimes()
const puts: Schemas['PostingTimes'][] = []

beforeEach(() => {
  saved = postingTimes()
  puts.length = 0
  logIn(shareholder())
  serve({ '/api/posting-times/next': { times: ['2026-11-23T08:00:00Z'] } })
  server.use(
    http.get('*/api/posting-times', () => HttpResponse.json(saved)),
    http.put('*/api/posting-times', async ({ request }) => {
      const body = (await request.json()) as Schemas['PostingTimes']
      if (body.version !== saved.version) {
        return HttpResponse.json(refusal('Somebody else changed it.', 'conflict'), { status: 409 })
      }
      puts.push(body)
      saved = { ...body, version: body.version + 1 }
      return HttpResponse.json(saved)
    }),
  )
})

const open = () => openPage('/times', [{ path: '/times', element: <PostingTimesPanel /> }])
const expectNothingToSave = () =>
  expect(screen.getByRole('button', { name: 'Save' })).toHaveAttribute('aria-disabled', 'true')

const row = async (name: string) => within(await screen.findByRole('group', { name }))

test('shows the week in rows, in a picture with words, and the next free times', async () => {
  open()
  const first = await row('Time 1')
  expect(first.getByLabelText('Time')).toHaveValue('09:00')
  expect(first.getByRole('checkbox', { name: 'Wednesday' })).toBeChecked()
  expect(first.getByRole('checkbox', { name: 'Tuesday' })).not.toBeChecked()
  expect(
    screen.getByRole('img', {
      name: 'The week: Monday 09:00; Wednesday 09:00; Saturday 11:30. Quiet from 22:00 to 07:00.',
    }),
  ).toBeVisible()
  expect(await screen.findByText('Nov 23, 2026, 9:00 AM')).toBeVisible()
  expectNothingToSave()
})

test('changes are saved with the version that was seen, or taken back', async () => {
  const { user } = open()
  const first = await row('Time 1')
  await user.click(first.getByRole('checkbox', { name: 'Tuesday' }))
  expect(screen.getByText('Not saved yet.')).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Reset' }))
  expect(first.getByRole('checkbox', { name: 'Tuesday' })).not.toBeChecked()

  await user.click(first.getByRole('checkbox', { name: 'Monday' }))
  await user.click(screen.getByRole('button', { name: 'Remove time 2' }))
  await user.clear(screen.getByLabelText(/^Least gap/))
  await user.type(screen.getByLabelText(/^Least gap/), '30')
  await user.click(screen.getByRole('button', { name: 'Save' }))
  expect(await screen.findByText('The posting times are saved.')).toBeVisible()
  expect(screen.getByRole('button', { name: 'Save' })).toHaveFocus()
  expect(puts).toEqual([postingTimes({ times: [{ weekday: 3, time: '09:00' }], minGapMinutes: 30 })])
  expectNothingToSave()
})

test('a new row gets the focus, and needs a day before it can be saved', async () => {
  const { user } = open()
  await user.click(await screen.findByRole('button', { name: 'Add a time' }))
  const added = await row('Time 3')
  expect(added.getByLabelText('Time')).toHaveFocus()
  expect(added.getByText('Choose at least one day, or remove this row.')).toBeVisible()
  expectNothingToSave()
  await user.click(added.getByRole('checkbox', { name: 'Sunday' }))
  expect(screen.getByRole('button', { name: 'Save' })).not.toHaveAttribute('aria-disabled')
})

test('a change of somebody else is shown, and nothing is overwritten before it was', async () => {
  logIn(founder())
  const { user } = open()
  await user.click((await row('Time 1')).getByRole('checkbox', { name: 'Sunday' }))
  saved = postingTimes({ version: 4, quietFrom: '23:00' })
  await user.click(screen.getByRole('button', { name: 'Save' }))
  const told = await screen.findByRole('alert', { name: 'Somebody else changed these times meanwhile' })
  expect(told).toHaveTextContent('Mon, Wed 09:00; Sat 11:30, in Europe/Berlin. Quiet from 23:00 to 07:00')
  expect(told).toHaveFocus()
  expect(puts).toEqual([])
  expectNothingToSave()
  await user.click(within(told).getByRole('button', { name: 'Keep mine' }))
  expect(screen.getByRole('button', { name: 'Save' })).toHaveFocus()
  await user.click(screen.getByRole('button', { name: 'Save' }))
  expect(await screen.findByText('The posting times are saved.')).toBeVisible()
  expect(puts.map(({ version, quietFrom }) => ({ version, quietFrom }))).toEqual([{ version: 4, quietFrom: '22:00' }])
})

test('a refusal is told point by point', async () => {
  const details = [{ field: 'body.times[0]', reason: 'Monday 09:00 lies in the quiet hours.' }]
  server.use(
    http.put('*/api/posting-times', () =>
      HttpResponse.json(
        { ...refusal('Some of these times lie in the quiet hours.', 'invalid'), details },
        { status: 422 },
      ),
    ),
  )
  const { user } = open()
  await user.click((await row('Time 1')).getByRole('checkbox', { name: 'Sunday' }))
  await user.click(screen.getByRole('button', { name: 'Save' }))
  expect(await screen.findByText('Monday 09:00 lies in the quiet hours.')).toBeVisible()
  expect((await row('Time 1')).getByRole('checkbox', { name: 'Sunday' })).toBeChecked()
})

test('asks before changes are left behind, and lets people stay', async () => {
  const { user, router } = open()
  await user.click((await row('Time 1')).getByRole('checkbox', { name: 'Sunday' }))
  await act(() => router.navigate('/times?view=week'))
  await user.click(await screen.findByRole('button', { name: 'Stay' }))
  expect(router.state.location.search).toBe('')
  expect((await row('Time 1')).getByRole('checkbox', { name: 'Sunday' })).toBeChecked()
  await act(() => router.navigate('/times?view=week'))
  await user.click(await screen.findByRole('button', { name: 'Leave' }))
  await waitFor(() => expect(router.state.location.search).toBe('?view=week'))
})

test('a visitor is told who has posting times, and where to log in', async () => {
  logIn(visitor())
  open()
  expect(await screen.findByText(/^Only members can see and change theirs\./)).toBeVisible()
  expect(screen.getByRole('link', { name: 'Log in' })).toHaveAttribute('href', '/auth/signin?next=%2Ftimes')
})
