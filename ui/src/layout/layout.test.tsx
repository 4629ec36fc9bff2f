import { screen, waitFor, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, expect, test } from 'vitest'

import { founderKey } from '@/api/founder-key'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { botPosts, botStatus, serve, stats } from '@/test/world'

beforeEach(() => {
  serve({ '/api/bot-status': botStatus(), '/api/stats': stats(), '/api/bot-posts': botPosts([]) })
})

test('the front door is the dashboard', async () => {
  const { router } = openPage('/')
  expect(await screen.findByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible()
  expect(router.state.location.pathname).toBe('/dashboard')
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

test('a founder key is kept for the tab, and can be forgotten', async () => {
  const { user } = openPage('/dashboard')
  await user.click(await screen.findByRole('button', { name: 'Founder access' }))
  await user.type(await screen.findByLabelText('Founder key'), ' secret ')
  await user.click(screen.getByRole('button', { name: 'Use this key' }))
  expect(founderKey.current().key).toBe('secret')
  expect(sessionStorage.getItem('founder-key')).toBe('secret')

  await user.click(await screen.findByRole('button', { name: 'Founder access: on' }))
  await user.click(await screen.findByRole('button', { name: 'Forget the key' }))
  expect(sessionStorage.getItem('founder-key')).toBeNull()
})

test('reading never sends the key', async () => {
  founderKey.use('secret')
  const keys: (string | null)[] = []
  server.use(
    http.get('*/api/stats', ({ request }) => {
      keys.push(request.headers.get('X-Admin-Key'))
      return HttpResponse.json(stats())
    }),
  )
  openPage('/dashboard')
  await waitFor(() => expect(keys).toEqual([null]))
})

test('an address that leads nowhere says so', async () => {
  openPage('/nowhere')
  expect(await screen.findByRole('heading', { level: 1, name: 'Page not found' })).toBeVisible()
})
