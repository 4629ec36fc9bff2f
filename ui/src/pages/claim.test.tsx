import { screen, waitFor } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, expect, test } from 'vitest'

import { account, credits, onboarding } from '@/test/membership'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { founder, shareholder } from '@/test/sessions'
import { botStatus, logIn, refusal, serve } from '@/test/world'

const token = 'k3yQm8Jp1TzXw5Rv9BnLc2HfGd7SaUe4Yi6Oo0PqWrE'
const claimed: unknown[] = []

beforeEach(() => {
  claimed.length = 0
  serve({
    '/api/bot-status': botStatus(),
    '/api/account': account(),
    '/api/account/onboarding': onboarding(),
    '/api/account/credits': credits(),
  })
  server.use(
    http.post('*/api/auth/activate', async ({ request }) => {
      claimed.push(await request.json())
      logIn(shareholder())
      return HttpResponse.json({ success: true })
    }),
  )
})

// Proves: V14.2.1
test('opening the link uses nothing up, and hides the secret', async () => {
  const { router } = openPage(`/auth/claim#${token}`)
  expect(await screen.findByRole('button', { name: 'Log in as a member' })).toBeVisible()
  await waitFor(() => expect(router.state.location).toMatchObject({ pathname: '/auth/claim', hash: '' }))
  expect(claimed).toEqual([])
})

test('a press logs in, and leads to the account and the tour', async () => {
  const { router, user } = openPage(`/auth/claim#${token}`)
  await user.click(await screen.findByRole('button', { name: 'Log in as a member' }))
  expect(await screen.findByRole('heading', { level: 1, name: 'Account' })).toBeVisible()
  expect(await screen.findByText('Welcome! You are logged in as a member.')).toBeVisible()
  expect(await screen.findByRole('button', { name: 'Account: @ana' })).toBeVisible()
  expect(await screen.findByRole('dialog', { name: 'Welcome tour' })).toBeVisible()
  await waitFor(() => expect(router.state.location).toMatchObject({ pathname: '/account', hash: '' }))
  expect(claimed).toEqual([{ token }])
})

test('a link that was used already leads to the login', async () => {
  const used = 'This link has expired or was already used. Log in with your email address instead.'
  server.use(http.post('*/api/auth/activate', () => HttpResponse.json(refusal(used, 'code_wrong'), { status: 422 })))
  const { user } = openPage(`/auth/claim#${token}`)
  await user.click(await screen.findByRole('button', { name: 'Log in as a member' }))
  expect(await screen.findByRole('alert')).toHaveTextContent(used)
  expect(screen.getByRole('link', { name: 'Log in with your e-mail address' })).toHaveAttribute(
    'href',
    '/auth/signin?next=%2Fdashboard',
  )
})

test.each(['', '#', '#short', `#${token}x`, '#<script>'])('a link that ends in %j is not whole', async (end) => {
  openPage(`/auth/claim${end}`)
  expect(await screen.findByText(/This link is not whole/)).toBeVisible()
  expect(screen.queryByRole('button', { name: 'Log in as a member' })).not.toBeInTheDocument()
})

test('somebody else who is logged in is told what will happen', async () => {
  logIn(founder())
  openPage(`/auth/claim#${token}`)
  expect(await screen.findByText(/You are logged in as @founder_one at the moment/)).toBeVisible()
})

test('a connection that fails can be tried again', async () => {
  server.use(http.post('*/api/auth/activate', () => HttpResponse.error(), { once: true }))
  const { user } = openPage(`/auth/claim#${token}`)
  await user.click(await screen.findByRole('button', { name: 'Log in as a member' }))
  expect(await screen.findByRole('alert')).toHaveTextContent('The server cannot be reached.')
  await user.click(screen.getByRole('button', { name: 'Log in as a member' }))
  expect(await screen.findByRole('heading', { level: 1, name: 'Account' })).toBeVisible()
})
