import { screen, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'

import { fakeIntersections, openLanding } from '@/test/landing'

beforeEach(() => {
  fakeIntersections()
})

test('the preview is shown, and the address forgets it and nothing else', async () => {
  openLanding('/?utm_source=a%20friend&customer0=preview&x=1#live')
  const banner = within(await screen.findByRole('region', { name: 'Customer zero' }))
  expect(banner.getAllByRole('listitem').map((item) => item.textContent)).toEqual(['$9 invested', '100 credits'])
  expect(banner.getByRole('link')).toHaveAttribute('href', '/dashboard')
  expect(location.pathname + location.search + location.hash).toBe('/?utm_source=a+friend&x=1#live')
})

test('the address is replaced: the way back does not lead to the preview again', async () => {
  const before = history.length
  openLanding('/?customer0=preview')
  await screen.findByRole('region', { name: 'Customer zero' })
  expect(history.length).toBe(before)
  expect(location.href).not.toContain('customer0')
})

test.each(['/', '/?customer0=', '/?customer0=Preview', '/?customer=preview'])('%s is no preview', async (path) => {
  openLanding(path)
  expect(await screen.findByText('System operational')).toBeVisible()
  expect(screen.queryByRole('region', { name: 'Customer zero' })).not.toBeInTheDocument()
  expect(location.pathname + location.search).toBe(path)
})
