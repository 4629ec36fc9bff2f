import { screen } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, expect, test, vi } from 'vitest'

import { fakeIntersections, openLanding } from '@/test/landing'
import { server } from '@/test/server'
import { fail } from '@/test/world'

vi.mock('./story', () => ({
  Story: () => {
    throw new TypeError('it broke')
  },
}))

beforeEach(() => {
  fakeIntersections()
  vi.spyOn(console, 'error').mockImplementation(() => {}) // React logs what the page throws
})

test('a page that breaks says so, and names the report that was kept', async () => {
  const reports: unknown[] = []
  server.use(
    http.post('*/api/client-errors', async ({ request }) => {
      reports.push(await request.json())
      return HttpResponse.json({ success: true, reference: 'err_7' }, { status: 201 })
    }),
  )
  openLanding()
  expect(await screen.findByRole('heading', { level: 1, name: 'Something went wrong' })).toBeVisible()
  expect(await screen.findByText('err_7')).toBeVisible()
  expect(reports).toMatchObject([{ path: '/', message: 'TypeError: it broke' }])
  expect(screen.getByRole('button', { name: 'Try again' })).toBeVisible()
  expect(screen.getByRole('link', { name: 'Dashboard' })).toHaveAttribute('href', '/dashboard')
})

test('a report that nobody got is not claimed', async () => {
  fail('/api/client-errors')
  openLanding()
  expect(await screen.findByText(/nobody has been told yet/)).toBeVisible()
  expect(screen.queryByText(/We've been notified/)).not.toBeInTheDocument()
})
