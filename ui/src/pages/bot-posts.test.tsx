import { screen, within } from '@testing-library/react'
import { delay, HttpResponse, http } from 'msw'
import { beforeEach, expect, test } from 'vitest'

import { localTime } from '@/lib/time'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { botPost, botPosts, botStatus, fail, serve } from '@/test/world'

const all = Array.from({ length: 45 }, (_, i) => botPost(i + 1, i === 0 ? { member: { username: 'ana' } } : {}))

const more = () => screen.findByRole('button', { name: /Load More Posts/ })

beforeEach(() => {
  serve({ '/api/bot-status': botStatus() })
  server.use(
    http.get('*/api/bot-posts', ({ request }) => {
      const offset = Number(new URL(request.url).searchParams.get('offset'))
      const page = { total: all.length, offset, hasMore: offset + 20 < all.length }
      return HttpResponse.json({ ...botPosts(all.slice(offset, offset + 20), page), sponsoredTotal: 7 })
    }),
  )
})

test('shows the totals and the first page', async () => {
  openPage('/bot-posts')
  expect(await screen.findAllByRole('article')).toHaveLength(20)
  expect(screen.getByRole('region', { name: 'Total posts' })).toHaveTextContent('45')
  expect(screen.getByRole('region', { name: 'Engagement' })).toHaveTextContent('200 of 20 posts measured below')
  expect(screen.getByRole('region', { name: 'Sponsored by members' })).toHaveTextContent('7')

  const [first] = screen.getAllByRole('article')
  const post = within(first as HTMLElement)
  expect(post.getByText('sponsored by @ana')).toBeVisible()
  expect(post.getByText(localTime('2026-11-20T10:30:00Z'))).toBeVisible()
})

test('shows no engagement before anything is measured', async () => {
  const { engagement: _, engagementScore: __, ...unmeasured } = botPost(1)
  serve({ '/api/bot-posts': botPosts([unmeasured]) })
  openPage('/bot-posts')
  expect(await screen.findByRole('region', { name: 'Engagement' })).toHaveTextContent('– not measured yet')
  expect(screen.getByRole('button', { name: 'Engagement –' })).toBeVisible()
})

test('loads more until all posts are here', async () => {
  const { user } = openPage('/bot-posts')

  await user.click(await screen.findByRole('button', { name: 'Load More Posts (25 remaining)' }))
  expect(await screen.findByText('Post number 40')).toBeVisible()
  expect(screen.getByText('Post number 21').closest('article')).toHaveFocus()

  await user.click(await screen.findByRole('button', { name: 'Load More Posts (5 remaining)' }))
  expect(await screen.findByText('Post number 45')).toBeVisible()
  expect(screen.getAllByRole('article')).toHaveLength(45)
  expect(screen.queryByRole('button', { name: /Load More/ })).not.toBeInTheDocument()
})

test('cannot load more twice at once', async () => {
  const { user } = openPage('/bot-posts')
  const button = await more()
  server.use(http.get('*/api/bot-posts', () => delay('infinite')))
  await user.click(button)
  expect(await screen.findByRole('button', { name: 'Loading…' })).toHaveAttribute('aria-busy', 'true')
})

test('keeps what it has when the next page fails', async () => {
  const { user } = openPage('/bot-posts')
  const button = await more()
  fail('/api/bot-posts')
  await user.click(button)
  expect(await screen.findByText(/Could not load more posts/)).toBeVisible()
  expect(screen.getAllByRole('article')).toHaveLength(20)
})

test('shows a post once that a newer one pushed to the next page', async () => {
  const { user } = openPage('/bot-posts')
  const button = await more()
  server.use(
    http.get('*/api/bot-posts', () =>
      HttpResponse.json(botPosts(all.slice(19, 39), { total: 46, offset: 20, hasMore: true })),
    ),
  )
  await user.click(button)
  expect(await screen.findByText('Post number 39')).toBeVisible()
  expect(screen.getAllByText('Post number 20')).toHaveLength(1)
})

test('says when there are no posts yet', async () => {
  serve({ '/api/bot-posts': botPosts([]) })
  openPage('/bot-posts')
  expect(await screen.findByText('No posts yet')).toBeVisible()
  expect(screen.getByRole('region', { name: 'Total posts' })).toHaveTextContent('0')
})

test('shows that it loads', async () => {
  server.use(http.get('*/api/bot-posts', () => delay('infinite')))
  openPage('/bot-posts')
  expect(await screen.findByText('Loading…')).toBeInTheDocument()
})

test('can be tried again after a failure', async () => {
  fail('/api/bot-posts')
  const { user } = openPage('/bot-posts')
  expect(await screen.findByText('Could not load the posts')).toBeVisible()
  serve({ '/api/bot-posts': botPosts([botPost(1)]) })
  await user.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByText('Post number 1')).toBeVisible()
})
