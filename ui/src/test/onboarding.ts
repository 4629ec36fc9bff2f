import { act, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { vi } from 'vitest'

import type { Schemas } from '@/api/client'

import { account, creditEntry, credits, onboarding } from './membership'
import { openPage } from './render'
import { server } from './server'
import { shareholder } from './sessions'
import { botStatus, logIn, serve } from './world'

type Kind = keyof Schemas['Onboarding']

/** A server with a new member's onboarding that records the requests. */
export function newMember() {
  const member = {
    known: onboarding(),
    balance: 90,
    saves: [] as unknown[],
    completions: [] as string[],
  }
  logIn(shareholder())
  serve({ '/api/bot-status': botStatus(), '/api/account': account() })
  server.use(
    http.get('*/api/account/onboarding', () => HttpResponse.json(member.known)),
    http.get('*/api/account/credits', () => HttpResponse.json(credits([creditEntry({ balance: member.balance })]))),
    http.put('*/api/account/onboarding/:kind', async ({ request, params }) => {
      const body = (await request.json()) as Schemas['SavedOnboarding']
      member.saves.push({ [String(params.kind)]: body })
      Object.assign(member.known[params.kind as Kind], body)
      return HttpResponse.json({ success: true })
    }),
    http.post('*/api/account/onboarding/:kind/complete', ({ params }) => {
      const kind = params.kind as Kind
      const awarded = member.known[kind].completed ? 0 : 5
      member.completions.push(kind)
      member.known[kind].completed = true
      member.balance += awarded
      return HttpResponse.json({ success: true, credits: member.balance, awarded })
    }),
  )
  return member
}

export type User = ReturnType<typeof openAccount>['user']

/** Opens the account page under a fake clock. */
export function openAccount(query = '') {
  const { router } = openPage(`/account${query}`)
  return { router, user: userEvent.setup({ advanceTimers: (ms) => vi.advanceTimersByTimeAsync(ms) }) }
}

export const later = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))

export const press = async (user: User, name: string) => user.click(await screen.findByRole('button', { name }))

export const dialog = async (name: string) => within(await screen.findByRole('dialog', { name }))

/** "Step 3 of 12" */
export const step = () => screen.getByRole('progressbar', { name: 'Progress' }).getAttribute('aria-valuetext')

export const confetti = () => screen.queryByTestId('confetti')

export async function goTo(user: User, last: number, from = 1) {
  for (let at = from; at < last; at++) await press(user, 'Next')
}
