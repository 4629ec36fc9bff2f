import { screen } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, expect, test } from 'vitest'

import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { botStatus, fail, serve } from '@/test/world'

const link = '/unsubscribe?account=acc1&proof=a-proof'
const sent: { query: string; type: string | null; body: string }[] = []

beforeEach(() => {
  sent.length = 0
  serve({ '/api/bot-status': botStatus() })
  server.use(
    http.post('*/unsubscribe', async ({ request }) => {
      const { search } = new URL(request.url)
      sent.push({ query: search, type: request.headers.get('Content-Type'), body: await request.text() })
      return HttpResponse.json({ success: true })
    }),
  )
})

test('opening the link stops nothing', async () => {
  openPage(link)
  expect(await screen.findByRole('button', { name: 'Stop these emails' })).toBeVisible()
  expect(sent).toEqual([])
})

test('a press stops the emails, as the button of a mail program would', async () => {
  const { user } = openPage(link)
  await user.click(await screen.findByRole('button', { name: 'Stop these emails' }))
  expect(await screen.findByText('Done. You will get no more emails about your posts.')).toBeVisible()
  expect(sent).toEqual([
    {
      query: '?account=acc1&proof=a-proof',
      type: 'application/x-www-form-urlencoded',
      body: 'List-Unsubscribe=One-Click',
    },
  ])
})

test.each(['/unsubscribe', '/unsubscribe?account=acc1', '/unsubscribe?proof=a-proof'])(
  '%s is not whole',
  async (path) => {
    openPage(path)
    expect(await screen.findByText(/This link is not whole/)).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Stop these emails' })).not.toBeInTheDocument()
  },
)

test('a link that the server does not believe is not whole', async () => {
  fail('/unsubscribe', 404, 'This link is not whole.')
  const { user } = openPage(link)
  await user.click(await screen.findByRole('button', { name: 'Stop these emails' }))
  expect(await screen.findByRole('alert')).toHaveTextContent('This link is not whole. Copy all of it from the email.')
  expect(screen.getByRole('link', { name: 'account page' })).toHaveAttribute('href', '/account')
})

test('what goes wrong on our side can be tried again', async () => {
  fail('/unsubscribe')
  const { user } = openPage(link)
  await user.click(await screen.findByRole('button', { name: 'Stop these emails' }))
  expect(await screen.findByRole('alert')).toHaveTextContent('Something went wrong on our side.')
  expect(screen.getByRole('button', { name: 'Stop these emails' })).toBeVisible()
})
