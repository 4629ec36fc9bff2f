import { screen, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'

import { openPage } from '@/test/render'
import { lastRun, neverVerified, verificationStatus } from '@/test/verification-status'
import { fail, serve } from '@/test/world'

import { LandingVerification } from './landing-verification'

const path = '/api/verification/status'
const show = () => openPage('/', [{ path: '/', element: <LandingVerification /> }])
const widget = () => screen.findByRole('region', { name: 'AI verification' })

test('says in short how the site stands, with the picture, and leads to the page of all', async () => {
  serve({ [path]: verificationStatus({ successRate: 97.06, status: 'warning' }) })
  show()
  const shown = within(await widget())
  expect(await shown.findByText('Warning')).toBeVisible()
  expect(shown.getByText('4 minutes ago')).toBeVisible()
  expect(shown.getAllByRole('definition').map((fact) => fact.textContent)).toEqual(['4 minutes ago', '6', '97.1 %'])
  expect(shown.getByText(/^The built-in analysis says: The page shows its heading/)).toBeVisible()
  expect(shown.getByRole('img')).toHaveAttribute('src', '/api/verification/pictures/a1.png')
  expect(shown.getByRole('link', { name: /Open the last/ })).toHaveAttribute('href', `/ai-verification/runs/${lastRun}`)
  expect(shown.getByRole('link', { name: /^All verifications/ })).toHaveAttribute('href', '/ai-verification')
})

test('a long comment is cut', async () => {
  serve({ [path]: verificationStatus({ analyst: 'a-model', aiAnalysis: 'All is well here. '.repeat(30) }) })
  show()
  const comment = await screen.findByText(/^a-model says: /)
  expect(comment.textContent).toMatch(/…$/)
  expect(comment.textContent?.length).toBeLessThan(180)
})

test('without a comment the reason is told', async () => {
  serve({ [path]: verificationStatus({ aiAnalysis: '', analyst: '', reason: 'The page could not be opened.' }) })
  show()
  expect(await screen.findByText('The page could not be opened.')).toBeVisible()
})

test('asks again every 15 seconds', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  serve({ [path]: verificationStatus() })
  show()
  expect(await screen.findByText('Working')).toBeVisible()
  serve({ [path]: verificationStatus({ status: 'error', stale: true }) })
  await vi.advanceTimersByTimeAsync(14_000)
  expect(screen.getByText('Working')).toBeVisible()
  await vi.advanceTimersByTimeAsync(2_000)
  expect(await screen.findByText('Broken')).toBeVisible()
  expect(screen.getByText(/^Stale:/)).toBeVisible()
})

test('before the first run it says that there was none', async () => {
  serve({ [path]: neverVerified() })
  show()
  expect(await screen.findByText('Not known yet')).toBeVisible()
  expect(screen.getByText('The front page has not been verified yet.')).toBeVisible()
  expect(screen.queryByRole('img')).not.toBeInTheDocument()
})

test('falls back to a sample that is named as such', async () => {
  fail(path)
  show()
  const shown = within(await widget())
  expect(await shown.findByText('sample')).toBeVisible()
  expect(shown.getByText('Working')).toBeVisible()
  expect(shown.getByText(/^Live data is unavailable since .+ sample numbers, not ours\.$/)).toBeVisible()
  expect(shown.getAllByRole('definition').map((fact) => fact.textContent)).toEqual(['6', '100 %'])
  expect(shown.getByRole('link', { name: /^All verifications/ })).toBeVisible()
  expect(shown.queryByRole('img')).not.toBeInTheDocument()
})
