import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, test, vi } from 'vitest'

import { openPage } from '@/test/render'
import { founder } from '@/test/sessions'
import { botPosts, botStatus, logIn, serve } from '@/test/world'

const welcome = 'Welcome back! You are logged in with X.'
const cancelled = 'Login was cancelled. No worries - you can try again anytime!'

beforeEach(() => {
  serve({ '/api/bot-status': botStatus(), '/api/bot-posts': botPosts([]) })
  vi.useFakeTimers({ shouldAdvanceTime: true })
})

const setup = () => userEvent.setup({ advanceTimers: (ms) => vi.advanceTimersByTimeAsync(ms) })
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))

test('a login is welcomed for five seconds, wherever it led', async () => {
  logIn(founder())
  const { router } = openPage('/bot-posts?auth=x&page=2#top')
  expect((await screen.findByText(welcome)).closest('[role=status]')).toBeVisible()
  await waitFor(() =>
    expect(router.state.location).toMatchObject({ pathname: '/bot-posts', search: '?page=2', hash: '#top' }),
  )
  await pass(4_000)
  expect(screen.getByText(welcome)).toBeVisible()
  await pass(1_500)
  expect(screen.queryByText(welcome)).not.toBeInTheDocument()
})

test('a link that claims a login welcomes nobody', async () => {
  openPage('/bot-posts?auth=x')
  expect(await screen.findByText('You are not logged in. Please try logging in again.')).toBeVisible()
  expect(screen.queryByText(welcome)).not.toBeInTheDocument()
})

test('what went wrong stays for eight seconds, as an alert', async () => {
  const { router } = openPage('/bot-posts?auth=x&error=denied')
  expect(await screen.findByText(cancelled)).toBeVisible()
  expect(within(screen.getByRole('alert')).getByText(cancelled)).toBeVisible()
  await waitFor(() => expect(router.state.location.search).toBe(''))
  await pass(7_000)
  expect(screen.getByText(cancelled)).toBeVisible()
  await pass(1_500)
  expect(screen.queryByText(cancelled)).not.toBeInTheDocument()
})

test('it stays while somebody points at it', async () => {
  openPage('/bot-posts?auth=x&error=denied')
  const user = setup()
  await user.hover(await screen.findByText(cancelled))
  await pass(60_000)
  expect(screen.getByText(cancelled)).toBeVisible()
  await user.unhover(screen.getByText(cancelled))
  await pass(8_500)
  expect(screen.queryByText(cancelled)).not.toBeInTheDocument()
})

test('it stays while it has the focus, and can be hidden', async () => {
  openPage('/bot-posts?auth=x&error=denied')
  const close = await screen.findByRole('button', { name: 'Hide this message' })
  act(() => close.focus())
  await pass(60_000)
  expect(screen.getByText(cancelled)).toBeVisible()
  await setup().click(close)
  expect(screen.queryByText(cancelled)).not.toBeInTheDocument()
})

test('refused keys lead to the login test', async () => {
  openPage('/bot-posts?auth=x&error=x_refused&details=http_401')
  expect(await screen.findByText(/X did not accept this app's keys/)).toBeVisible()
  expect(screen.getByRole('link', { name: 'Go to the login test' })).toHaveAttribute('href', '/experiments')
})

test('a stranger is greeted by handle, and offered a membership', async () => {
  openPage('/bot-posts?auth=x&error=unauthorized&details=handle:eve_9')
  expect(await screen.findByText(/^Hi @eve_9! .* founding team/)).toBeVisible()
  expect(within(screen.getByRole('alert')).getByRole('link', { name: 'Become a member' })).toHaveAttribute(
    'href',
    '/pricing',
  )
})

test('an error of somebody else is none of ours', async () => {
  const { router } = openPage('/bot-posts?error=denied')
  expect(await screen.findByRole('heading', { level: 1 })).toBeVisible()
  expect(screen.queryByText(cancelled)).not.toBeInTheDocument()
  await waitFor(() => expect(router.state.location.search).toBe('?error=denied'))
})
