import { act, screen } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, expect, test, vi } from 'vitest'

import { payment, pricing } from '@/test/pricing'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { botStatus, refusal, serve } from '@/test/world'

import { PricingPage } from './pricing'

const later = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))
const join = () => screen.findByRole('button', { name: 'Become a Founding Member' })

const answer = (body: object) => server.use(http.post('*/api/dynamic-payment', () => HttpResponse.json(body)))

async function press() {
  const go = vi.fn<(address: string) => void>()
  const { user } = openPage('/pricing', [{ path: '/pricing', element: <PricingPage go={go} /> }])
  await user.click(await join())
  return { go, user }
}

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  serve({ '/api/bot-status': botStatus(), '/api/pricing': pricing() })
})

const refuse = (status: number, error: string, code?: string) =>
  server.use(http.post('*/api/dynamic-payment', () => HttpResponse.json(refusal(error, code), { status })))

test('a refusal is told, and can be tried again', async () => {
  refuse(503, 'The payment service cannot be reached right now. Nothing was charged.', 'payment_unavailable')
  const { go, user } = await press()
  expect(await screen.findByRole('alert')).toHaveTextContent(
    'Payment issue: The payment service cannot be reached right now. Nothing was charged. Please try again or contact support.Request id: req_1',
  )
  expect(go).not.toHaveBeenCalled()
  answer(payment())
  await user.click(await join())
  expect(await screen.findByRole('region', { name: 'Your price' })).toBeVisible()
  expect(screen.queryByRole('alert')).not.toBeInTheDocument()
})

test('a connection that fails is told', async () => {
  server.use(http.post('*/api/dynamic-payment', () => HttpResponse.error()))
  await press()
  expect(await screen.findByRole('alert')).toHaveTextContent(
    'Payment system error: The server cannot be reached. Please try again later.',
  )
})

test('something in between that answers is told', async () => {
  server.use(
    http.post('*/api/dynamic-payment', () =>
      HttpResponse.html('<h1>Bad Gateway</h1>', { status: 502, statusText: 'Bad Gateway' }),
    ),
  )
  await press()
  expect(await screen.findByRole('alert')).toHaveTextContent(
    'Payment system error: HTTP 502: Bad Gateway. Please try again later.',
  )
})

test.each(['javascript:alert(1)', '', '/sandbox'])('a page to pay on at %j is not gone to', async (payment_url) => {
  answer({ ...payment(), payment_url })
  const { go } = await press()
  expect(await screen.findByRole('alert')).toHaveTextContent(
    'Payment issue: Unknown error. Please try again or contact support.',
  )
  await later(5_000)
  expect(go).not.toHaveBeenCalled()
})

test('somebody who turns out to be a member is sent to their account', async () => {
  refuse(409, 'You are a founding member already.', 'member_exists')
  await press()
  expect(await screen.findByRole('link', { name: 'Go to your account' })).toBeVisible()
  expect(screen.queryByRole('alert')).not.toBeInTheDocument()
})
