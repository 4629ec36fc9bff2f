import { screen, within } from '@testing-library/react'
import { beforeEach, describe, expect, test } from 'vitest'

import { openPage } from '@/test/render'
import { botStatus, fail, serve } from '@/test/world'

beforeEach(() => serve({ '/api/bot-status': botStatus() }))

const clauses = async () => {
  await screen.findByText(/Last updated/)
  return screen.getAllByRole('heading', { level: 2 }).map((title) => title.textContent)
}

describe('the terms', () => {
  test('keep their date and their clauses, and say what was added when', async () => {
    openPage('/terms')
    expect(await screen.findByRole('heading', { level: 1, name: 'Terms of service' })).toBeVisible()
    expect(await screen.findByText(/Last updated/)).toHaveTextContent('Last updated: June 19, 2025')
    expect(await clauses()).toEqual([
      'Acceptance of terms',
      'Description of the service',
      'Your responsibilities',
      'Use of the API',
      'Contact',
      'Amendments of November 22, 2026',
    ])
  })

  test('say what a shareholder holds', async () => {
    openPage('/terms')
    const clause = within(await screen.findByRole('region', { name: /what “shareholder” means/ }))
    expect(clause.getByText('It is no equity, no security and no right to any profit.')).toBeVisible()
  })
})

describe('the privacy policy', () => {
  test('keeps its date and its clauses, and says what was added when', async () => {
    openPage('/privacy')
    expect(await screen.findByRole('heading', { level: 1, name: 'Privacy policy' })).toBeVisible()
    expect(await screen.findByText(/Last updated/)).toHaveTextContent('Last updated: June 19, 2025')
    expect(await clauses()).toEqual([
      'Information we collect',
      'How we use it',
      'How we share it',
      'Security',
      'OAuth credentials',
      'Contact',
      'Amendments of November 22, 2026',
    ])
  })

  test.each([
    'Personal prices',
    'Models',
    'Cookies',
    'What is public',
    'How long we keep what',
    'Your data in your hands',
  ])('has an amendment about: %s', async (name) => {
    openPage('/privacy')
    expect(await screen.findByRole('region', { name })).toBeVisible()
  })

  test('names whom to write to', async () => {
    openPage('/privacy')
    expect(await screen.findByRole('link', { name: /@customerzero/ })).toHaveAttribute(
      'href',
      'https://x.com/customerzero',
    )
  })

  test('reads on without knowing the bot', async () => {
    fail('/api/bot-status')
    openPage('/privacy')
    expect(await screen.findByText(/Questions about your data\?/)).toHaveTextContent('answer any e-mail we sent you')
  })
})
