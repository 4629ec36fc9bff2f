import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, test, vi } from 'vitest'

import { onboarding, progress } from '@/test/membership'
import { confetti, dialog, later, newMember, openAccount, press, step } from '@/test/onboarding'
import { fail, serve } from '@/test/world'

let member: ReturnType<typeof newMember>

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  member = newMember()
})

describe('the welcome tour', () => {
  test('opens by itself for a new member, and ends with credits', async () => {
    const { router, user } = openAccount('?welcome=1')
    const tour = await dialog('Welcome tour')
    expect(step()).toBe('Step 1 of 4')
    expect(await tour.findByText(/credits are yours now/)).toHaveTextContent('90 credits are yours now.')
    await press(user, 'Next')
    expect(tour.getByRole('heading', { name: 'How the investment works' })).toHaveFocus()
    expect(tour.getByText(/no equity, and no right to profit/)).toBeVisible()
    expect(tour.getByText(/500 posts a month.*250 posts a month for you/)).toBeVisible()
    await press(user, 'Next')
    expect(tour.getByRole('heading', { name: 'Your first mission' })).toHaveFocus()
    await press(user, 'Next')
    await user.click(tour.getByRole('button', { name: 'Start Building!' }))
    await waitFor(() => expect(confetti()).toBeInTheDocument())
    await later(2_000)
    expect(await screen.findByText('Welcome aboard!')).toBeVisible()
    expect(screen.getByText('+5 credits: you have 95 now.')).toBeVisible()
    expect(localStorage.getItem('welcomeSeen:m1')).toBe('true')
    await waitFor(() => expect(router.state.location.search).toBe(''))
    expect(member.completions).toEqual(['tour'])
    await later(1_000)
    expect(confetti()).not.toBeInTheDocument()
    expect(localStorage.getItem('partnershipAnswers')).toBeNull()
  })

  test('is not asked for again once it is closed, and goes on where it was left', async () => {
    const { router, user } = openAccount('?welcome=1')
    const tour = await dialog('Welcome tour')
    await press(user, 'Next')
    await user.click(tour.getByRole('button', { name: 'Close' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
    await waitFor(() => expect(router.state.location.search).toBe(''))
    await press(user, 'Go on with the tour')
    await dialog('Welcome tour')
    expect(step()).toBe('Step 2 of 4')
  })

  test.each<[string, string, () => void]>([
    ['asks', '', () => {}],
    ['is new any more', '?welcome=1', () => Object.assign(member.known.tour, { completed: true })],
    ['has not seen it', '?welcome=1', () => localStorage.setItem('welcomeSeen:m1', 'true')],
  ])('does not open by itself where nobody %s', async (_, query, arrange) => {
    arrange()
    openAccount(query)
    expect(await screen.findByRole('button', { name: /Start the questions/ })).toBeVisible()
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
  })

  test('is for every member of this browser', async () => {
    localStorage.setItem('welcomeSeen:m2', 'true')
    openAccount('?welcome=1')
    expect(await screen.findByRole('dialog', { name: 'Welcome tour' })).toBeVisible()
  })
})

test('what was done is shown as done', async () => {
  member.known = onboarding({ tour: progress({ completed: true, step: 4 }) })
  openAccount()
  const list = within(await screen.findByRole('region', { name: 'Getting started' }))
  const [tour, partnership] = await list.findAllByRole('listitem')
  expect(tour).toHaveTextContent('done')
  expect(tour).not.toHaveTextContent('+5 credits')
  expect(partnership).toHaveTextContent('+5 credits')
})

test('first steps that cannot be loaded can be tried again', async () => {
  fail('/api/account/onboarding')
  const { user } = openAccount()
  expect(await screen.findByText('Could not load your first steps')).toBeVisible()
  serve({ '/api/account/onboarding': onboarding() })
  await user.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByRole('button', { name: 'Take the tour' })).toBeVisible()
})
