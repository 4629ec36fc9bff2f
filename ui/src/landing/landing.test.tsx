import { act, screen, waitFor, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, expect, test, vi } from 'vitest'

import { fakeIntersections, openLanding } from '@/test/landing'
import { server } from '@/test/server'
import { shareholder } from '@/test/sessions'
import { neverVerified, verificationStatus } from '@/test/verification-status'
import { botStatus, fail, logIn, serve } from '@/test/world'

const status = '/api/verification/status'

beforeEach(() => {
  fakeIntersections() // nothing scrolls
})

const hero = () => within(screen.getByRole('region', { name: 'Break it. Watch it heal itself.' }))

test('says in one look what this is, and leads on', () => {
  openLanding()
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Break it. Watch it heal itself.')
  expect(hero().getByText(/a social bot you can audit\. Members pay \$9 once and share its 500 posts/)).toBeVisible()
  expect(hero().getByRole('link', { name: 'Break it' })).toHaveAttribute('href', '#live')
  expect(hero().getByRole('link', { name: 'Become a founding member' })).toHaveAttribute('href', '/pricing')
  expect(hero().getByRole('link', { name: 'Dashboard' })).toHaveAttribute('href', '/dashboard')
  expect(document.getElementById('live')).toContainElement(screen.getByRole('heading', { name: 'Live, right now' }))
})

test('three cards lead to what is claimed', () => {
  openLanding()
  const cards = within(screen.getByRole('region', { name: 'Look closer' })).getAllByRole('link')
  expect(cards.map((card) => card.getAttribute('href'))).toEqual(['/chaos-monkey', '/ai-verification', '/pricing'])
})

test('the badges say how things stand, and nothing before that is known', async () => {
  const asked = Promise.withResolvers<void>()
  openLanding()
  server.use(
    http.get(`*${status}`, async () => {
      await asked.promise
      return HttpResponse.json(verificationStatus())
    }),
    http.get('*/api/bot-status', async () => {
      await asked.promise
      return HttpResponse.json(botStatus())
    }),
  )
  const badges = within(screen.getByRole('status'))
  expect(badges.getAllByRole('link').map((badge) => badge.textContent)).toEqual([
    'Checking the system…',
    'Checking the monitoring…',
  ])
  asked.resolve()
  expect(await badges.findByRole('link', { name: 'System operational' })).toHaveAttribute('href', '/bot-operations')
  expect(await badges.findByRole('link', { name: 'AI monitoring active' })).toHaveAttribute('href', '/ai-verification')
})

test.each([
  [verificationStatus({ status: 'warning' }), 'AI monitoring: warning'],
  [verificationStatus({ status: 'error' }), 'AI monitoring: broken'],
  [neverVerified(), 'AI monitoring: no result yet'],
])('a site that is not well is not called so', async (found, words) => {
  openLanding()
  serve({ [status]: found, '/api/bot-status': botStatus({ status: 'limited' }) })
  expect(await screen.findByText(words)).toBeVisible()
  expect(await screen.findByText('System limited')).toBeVisible()
  expect(screen.queryByText(/operational|AI monitoring active/)).not.toBeInTheDocument()
})

test('what cannot be asked is unknown, also when it was known before', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  openLanding()
  expect(await screen.findByText('AI monitoring active')).toBeVisible()
  fail(status)
  fail('/api/bot-status')
  await act(() => vi.advanceTimersByTimeAsync(15_000))
  expect(await screen.findByText('AI monitoring: state unknown')).toBeVisible()
  expect(await screen.findByText('System state unknown')).toBeVisible()
})

test('asks for the verification every 15 seconds', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  openLanding()
  expect(await screen.findByText('AI monitoring active')).toBeVisible()
  serve({ [status]: verificationStatus({ status: 'error' }) })
  await act(() => vi.advanceTimersByTimeAsync(13_000))
  expect(screen.getByText('AI monitoring active')).toBeVisible()
  await act(() => vi.advanceTimersByTimeAsync(3_000))
  expect(await screen.findByText('AI monitoring: broken')).toBeVisible()
})

test('leads visitors to the login, and those who are in to their account', async () => {
  openLanding()
  const header = within(screen.getByRole('banner'))
  expect(header.getByRole('link', { name: 'Log in' })).toHaveAttribute('href', '/auth/signin?next=%2Fdashboard')
  expect(
    within(header.getByRole('navigation'))
      .getAllByRole('link')
      .map((link) => link.getAttribute('href')),
  ).toEqual(['/dashboard', '/experiments', '/pricing'])

  document.body.replaceChildren()
  logIn(shareholder())
  openLanding()
  expect(await screen.findByRole('link', { name: 'Account' })).toHaveAttribute('href', '/account')
})

test('the footer leads to the feeds, the small print, and behind the scenes', async () => {
  openLanding()
  const footer = within(screen.getByRole('contentinfo'))
  expect(await footer.findByRole('link', { name: 'Sandbox timeline' })).toHaveAttribute('href', '/sandbox/x')
  const links = footer.getAllByRole('link').map((link) => link.getAttribute('href'))
  expect(links).toEqual(
    expect.arrayContaining([
      '/terms',
      '/privacy',
      '/feeds/posts.xml',
      '/feeds/experiments.xml',
      '/feeds/chaos.xml',
      '/treasury',
      '/docs',
      'http://127.0.0.1:8233',
    ]),
  )
  expect(screen.getByRole('contentinfo')).toHaveTextContent('not equity')
})

test('the real X has neither sandbox badge nor sandbox timeline', async () => {
  openLanding()
  serve({ '/api/bot-status': botStatus({ sandbox: false }) })
  expect(await screen.findByText('System operational')).toBeVisible()
  expect(screen.queryByText('sandbox')).not.toBeInTheDocument()
  expect(screen.queryByText('Sandbox timeline')).not.toBeInTheDocument()
})

test('a look at the front door is counted', async () => {
  const pages: unknown[] = []
  server.use(
    http.post('*/api/visits', async ({ request }) => {
      pages.push(await request.json())
      return HttpResponse.json({ success: true, counted: true })
    }),
  )
  openLanding()
  await waitFor(() => expect(pages).toContainEqual({ page: 'other' }))
})
