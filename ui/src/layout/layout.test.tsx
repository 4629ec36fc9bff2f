import { screen, waitFor, within } from '@testing-library/react'
import { delay, HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, test, vi } from 'vitest'

import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { founder, shareholder, visitor } from '@/test/sessions'
import { botPosts, botStatus, fail, logIn, serve, stats } from '@/test/world'

import { FrontDoor } from './front-door'

beforeEach(() => {
  serve({ '/api/bot-status': botStatus(), '/api/stats': stats(), '/api/bot-posts': botPosts([]) })
})

test('the front door is a page load away', async () => {
  const leave = vi.fn()
  openPage('/', [{ path: '/', element: <FrontDoor leave={leave} /> }])
  await waitFor(() => expect(leave.mock.calls).toEqual([['/']]))
})

test('the name of the product leads there, and not by the router', async () => {
  const { router } = openPage('/dashboard')
  const home = await screen.findByRole('link', { name: 'Customer Zero' })
  expect(home).toHaveAttribute('href', '/')
  const left = vi.fn((event: Event) => event.preventDefault()) // jsdom cannot navigate
  window.addEventListener('click', left, { once: true })
  home.click()
  expect(left).toHaveBeenCalledOnce()
  expect(router.state).toMatchObject({ location: { pathname: '/dashboard' }, navigation: { state: 'idle' } })
})

test('a sandbox is called one, and shown', async () => {
  openPage('/dashboard')
  expect(await screen.findByText('sandbox')).toBeVisible()
  expect(screen.getByRole('link', { name: /Sandbox timeline/ })).toHaveAttribute('href', '/sandbox/x')
  expect(screen.getByRole('link', { name: /Temporal console/ })).toHaveAttribute('href', 'http://127.0.0.1:8233')
  expect(screen.getByRole('link', { name: /API docs/ })).toHaveAttribute('href', '/docs')
})

test('the real X has no sandbox badge', async () => {
  serve({ '/api/bot-status': botStatus({ sandbox: false }) })
  openPage('/dashboard')
  expect(await screen.findByRole('link', { name: /Temporal console/ })).toBeVisible()
  expect(screen.queryByText('sandbox')).not.toBeInTheDocument()
})

test('the footer says what a shareholder is not', async () => {
  openPage('/dashboard')
  expect(await screen.findByRole('contentinfo')).toHaveTextContent('not equity')
})

test('a new page takes the focus', async () => {
  const { user } = openPage('/dashboard')
  const pages = within(await screen.findByRole('navigation', { name: 'Pages' }))
  await user.click(pages.getByRole('link', { name: 'Bot posts' }))
  expect(await screen.findByRole('heading', { level: 1, name: 'Bot posts' })).toBeVisible()
  await waitFor(() => expect(screen.getByRole('main')).toHaveFocus())
})

describe('the account menu', () => {
  const header = async () => within(await screen.findByRole('banner'))

  test('leads visitors to the login, and back', async () => {
    openPage('/bot-posts?x=1')
    expect(await (await header()).findByRole('link', { name: 'Log in' })).toHaveAttribute(
      'href',
      '/auth/signin?next=%2Fbot-posts%3Fx%3D1',
    )
  })

  test('says nothing while it is not known who is there', async () => {
    server.use(http.get('*/api/auth/status', () => delay('infinite')))
    openPage('/dashboard')
    expect(await screen.findByText('sandbox')).toBeVisible()
    expect((await header()).queryByRole('link', { name: 'Log in' })).not.toBeInTheDocument()
    expect((await header()).queryByRole('button', { name: /^Account/ })).not.toBeInTheDocument()
  })

  test('takes a login that cannot be asked about for none', async () => {
    fail('/api/auth/status')
    openPage('/dashboard')
    expect(await (await header()).findByRole('link', { name: 'Log in' })).toBeVisible()
  })

  test('shows founders who they are, and their pages', async () => {
    logIn(founder())
    const { user } = openPage('/dashboard')
    await user.click(await screen.findByRole('button', { name: 'Account: @founder_one' }))
    expect(await screen.findByText('Founder')).toBeVisible()
    expect(screen.getByRole('menuitem', { name: 'Account' })).toHaveAttribute('href', '/account')
    expect(screen.getByRole('menuitem', { name: 'Bot credentials' })).toHaveAttribute('href', '/credentials')
  })

  test('shows members theirs', async () => {
    logIn(shareholder())
    const { user } = openPage('/dashboard')
    await user.click(await screen.findByRole('button', { name: 'Account: @ana' }))
    expect(await screen.findByText('Member')).toBeVisible()
    expect(screen.queryByRole('menuitem', { name: 'Bot credentials' })).not.toBeInTheDocument()
  })

  test('logs out, says so, and gives the focus to the page', async () => {
    logIn(founder())
    server.use(
      http.post('*/api/auth/logout', () => {
        logIn(visitor())
        return HttpResponse.json({ success: true })
      }),
    )
    const { user } = openPage('/dashboard')
    await user.click(await screen.findByRole('button', { name: 'Account: @founder_one' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Log out' }))
    expect(await screen.findByText('You are logged out.')).toBeVisible()
    expect((await header()).getByRole('link', { name: 'Log in' })).toBeVisible()
    expect(screen.getByRole('main')).toHaveFocus()
  })

  test('says when the logout did not work', async () => {
    logIn(founder())
    fail('/api/auth/logout')
    const { user } = openPage('/dashboard')
    await user.click(await screen.findByRole('button', { name: 'Account: @founder_one' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Log out' }))
    expect(await screen.findByText('Could not log out')).toBeVisible()
  })

  test('is laid open in the menu of a small screen', async () => {
    logIn(founder())
    const { user } = openPage('/dashboard')
    await user.click(await screen.findByRole('button', { name: 'Open the menu' }))
    const mine = within(await screen.findByRole('navigation', { name: 'Your account' }))
    expect(mine.getByText('@founder_one')).toBeVisible()
    await user.click(mine.getByRole('link', { name: 'Account' }))
    expect(screen.queryByRole('navigation', { name: 'Your account' })).not.toBeInTheDocument()
  })
})

test('an address that leads nowhere says so', async () => {
  openPage('/nowhere')
  expect(await screen.findByRole('heading', { level: 1, name: 'Page not found' })).toBeVisible()
})
