import { screen, waitFor, within } from '@testing-library/react'
import { delay, http } from 'msw'
import { beforeEach, describe, expect, test } from 'vitest'

import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { botPost, botPosts, botStatus, fail, serve, stats } from '@/test/world'

const card = (name: string) => screen.findByRole('region', { name })

beforeEach(() => {
  serve({
    '/api/bot-status': botStatus(),
    '/api/stats': stats(),
    '/api/bot-posts': botPosts([1, 2, 3, 4, 5, 6, 7].map((n) => botPost(n))),
  })
})

describe('the cards', () => {
  test('show the live month', async () => {
    openPage('/dashboard')

    expect(await screen.findByText('213 published, 19 reserved')).toBeVisible()
    const usage = await card('Monthly usage')
    expect(usage).toHaveTextContent('232 of 500 posts')
    expect(within(usage).getByRole('progressbar')).toHaveAttribute('aria-valuetext', '213 spent and 19 reserved of 500')
    expect(await card('API reads')).toHaveTextContent('41 of 100')
    expect(await card('API reads')).toHaveTextContent('Plus 3 reconciliation reads')
    expect(await card('Success rate')).toHaveTextContent('99.2%')
    expect(await card('Success rate')).toHaveTextContent('124 of 125 posts published')
    expect(screen.queryByText('sample')).not.toBeInTheDocument()
  })

  test('say when there is not enough data for a rate', async () => {
    serve({ '/api/stats': stats({ success: { published: 0, failed: 0, days: 30 } }) })
    openPage('/dashboard')
    expect(await screen.findByText('Not enough data yet')).toBeVisible()
  })

  test('show nothing of the kind while the numbers are on their way', async () => {
    server.use(http.get('*/api/stats', () => delay('infinite')))
    openPage('/dashboard')
    expect(await card('Monthly usage')).toHaveAttribute('aria-busy', 'true')
    expect(screen.queryByText('247')).not.toBeInTheDocument()
  })

  test('show no numbers when the live ones cannot be loaded', async () => {
    fail('/api/stats')
    const { user } = openPage('/dashboard')

    expect(await screen.findByText('Could not load the numbers of the month')).toBeVisible()
    expect(screen.queryByText(/247|99\.2%|sample/)).not.toBeInTheDocument()
    serve({ '/api/stats': stats() })
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await card('Monthly usage')).toHaveTextContent('232 of 500 posts')
  })
})

describe('the history', () => {
  test('shows the five newest posts and the way to the others', async () => {
    openPage('/dashboard')
    expect(await screen.findAllByRole('article')).toHaveLength(5)
    expect(screen.getByRole('link', { name: 'All posts' })).toHaveAttribute('href', '/bot-posts')
  })

  test('shows what is known of a post', async () => {
    serve({ '/api/bot-posts': botPosts([botPost(7, { member: { username: 'ana' } })]) })
    const { user } = openPage('/dashboard')

    const post = within(await screen.findByRole('article'))
    expect(await post.findByText('@customerzero')).toBeVisible()
    expect(post.getByText('sponsored by @ana')).toBeVisible()
    expect(post.getByText('7 hours ago')).toHaveAttribute('title', '2026-11-20 10:30 UTC')
    expect(post.getByText('Post number 7')).toBeVisible()
    expect(post.getByText('907')).toBeVisible()
    expect(post.getByRole('link', { name: /View on X/ })).toHaveAttribute(
      'href',
      'https://x.com/customerzero/status/907',
    )
    expect(post.getByRole('link', { name: /Open run/ })).toHaveAttribute('href', 'http://127.0.0.1:8233/p7')

    await user.click(post.getByRole('button', { name: 'Engagement 10' }))
    expect(await screen.findByText('3 + 2 × 2 + 2 × 1 + 1 = 10')).toBeInTheDocument()
  })

  test('shows no score for a post that is not measured yet', async () => {
    const { engagement: _, engagementScore: __, ...unmeasured } = botPost(1)
    serve({ '/api/bot-posts': botPosts([unmeasured]) })
    const { user } = openPage('/dashboard')
    await user.click(await screen.findByRole('button', { name: 'Engagement –' }))
    expect(await screen.findByText(/^Not measured yet/)).toBeInTheDocument()
  })

  test('copies the address of a post and says so', async () => {
    const { user } = openPage('/dashboard')
    const [copy] = await screen.findAllByRole('button', { name: 'Copy link' })
    await user.click(copy as HTMLElement)
    expect(await screen.findByRole('button', { name: 'Copied' })).toBeVisible()
    expect(await navigator.clipboard.readText()).toBe('https://x.com/customerzero/status/901')
  })

  test('says what to do when there are no posts yet', async () => {
    serve({ '/api/bot-posts': botPosts([]) })
    openPage('/dashboard')
    expect(await screen.findByText('No posts yet')).toBeVisible()
    const history = screen.getByRole('region', { name: 'Bot post history' })
    expect(within(history).getByRole('link', { name: 'Bot operations' })).toHaveAttribute('href', '/bot-operations')
  })

  test('can be tried again after a failure', async () => {
    fail('/api/bot-posts', 500, 'The database is away.')
    const { user } = openPage('/dashboard')
    expect(await screen.findByText('The database is away. Request id: req_1')).toBeVisible()

    serve({ '/api/bot-posts': botPosts([botPost(1)]) })
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    await waitFor(() => expect(screen.getByText('Post number 1')).toBeVisible())
  })
})

test('what changes by itself is marked for those who compare pictures, and what stands is not', async () => {
  openPage('/dashboard')
  const moving = (element: HTMLElement) => element.closest('[data-moving]') !== null
  expect(moving(await screen.findByText('213 published, 19 reserved'))).toBe(true)
  expect(moving(await screen.findByText('Post number 1'))).toBe(true)
  for (const bar of screen.getAllByRole('progressbar')) expect(moving(bar)).toBe(true)

  for (const heading of screen.getAllByRole('heading')) expect(moving(heading)).toBe(false)
  for (const name of ['Monthly usage', 'API reads', 'Success rate']) expect(moving(screen.getByText(name))).toBe(false)
  for (const nav of screen.getAllByRole('navigation')) expect(moving(nav)).toBe(false)
})
