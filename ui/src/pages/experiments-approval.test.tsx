import { screen, waitFor, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, expect, test } from 'vitest'

import { experiment, experimentDetail, idea, serveLab } from '@/test/experiments'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { founder } from '@/test/sessions'
import { botStatus, logIn, refusal, serve } from '@/test/world'

const sent: unknown[] = []
const waiting = idea('i-77', { submitter: 'bo', version: 4, difficulty: 'hard', impact: 'Fewer questions.' })

beforeEach(() => {
  sent.length = 0
  serve({ '/api/bot-status': botStatus() })
  logIn(founder())
  serveLab([waiting, experiment(1)], { waiting: 1 })
})

function take(reply: () => Response) {
  server.use(
    http.post('*/api/experiments/:slug/move', async ({ request, params: { slug } }) => {
      sent.push([slug, await request.json()])
      return reply()
    }),
  )
}

const moved = () => {
  serveLab([experiment(1)], { waiting: 0 })
  return HttpResponse.json(experimentDetail(experiment(2, { status: 'planning' })))
}

async function openWaiting() {
  const { user } = openPage('/experiments')
  await user.click(await screen.findByRole('link', { name: 'Waiting for approval (1)' }))
  await waitFor(() => expect(screen.getAllByRole('article')).toHaveLength(1))
  return { user, card: within(await screen.findByRole('article', { name: 'IDEA: Idea i-77' })) }
}

test('founders see what waits, whole, and cannot vote on it', async () => {
  const { card } = await openWaiting()
  expect(card.getByText('Waiting for approval')).toBeVisible()
  expect(card.getByText('Fewer questions.')).toBeVisible()
  expect(card.getByText('Hard (2+ weeks)')).toBeVisible()
  expect(card.getByText('@bo')).toBeVisible()
  expect(card.queryByRole('button', { name: /^Vote/ })).not.toBeInTheDocument()
})

test('founders approve', async () => {
  take(moved)
  const { user, card } = await openWaiting()
  await user.click(card.getByRole('button', { name: 'Approve' }))
  expect(await screen.findByText('“Idea i-77” is public now.')).toBeVisible()
  expect(sent).toEqual([['i-77', { version: 4, to: 'planning' }]])
  expect(await screen.findByText('Nothing waits')).toBeVisible()
  await waitFor(() => expect(screen.getByText('0 experiments')).toHaveFocus())
})

test('founders decline, with a reason', async () => {
  take(moved)
  const { user, card } = await openWaiting()
  await user.click(card.getByRole('button', { name: 'Decline' }))
  const reason = card.getByRole('textbox', { name: 'Why not' })
  await waitFor(() => expect(reason).toHaveFocus())
  expect(card.getByRole('button', { name: 'Decline' })).toBeDisabled()
  await user.type(reason, ' Too big. {Enter}')
  expect(await screen.findByText('“Idea i-77” is declined.')).toBeVisible()
  expect(sent).toEqual([['i-77', { version: 4, to: 'declined', reason: 'Too big.' }]])
})

test('founders are told when another was quicker', async () => {
  take(() => HttpResponse.json(refusal('Somebody changed it meanwhile.', 'edit_stale'), { status: 409 }))
  const { user, card } = await openWaiting()
  await user.click(card.getByRole('button', { name: 'Approve' }))
  expect(await card.findByText('Somebody changed it meanwhile.')).toBeVisible()
})
