import { screen, waitFor, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, expect, test, vi } from 'vitest'

import { progress } from '@/test/membership'
import { confetti, dialog, goTo, later, newMember, openAccount, press, step, type User } from '@/test/onboarding'
import { server } from '@/test/server'
import { refusal } from '@/test/world'

let member: ReturnType<typeof newMember>

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  member = newMember()
})

const kept = () => JSON.parse(localStorage.getItem('partnershipAnswers') ?? 'null')

const begin = async (user: User) => {
  await press(user, 'Start the questions')
  return dialog('Partnership discovery')
}

test('goes through twelve questions, of which none has to be answered', async () => {
  const { user } = openAccount()
  const questions = await begin(user)
  expect(step()).toBe('Step 1 of 12')
  expect(questions.getByRole('button', { name: 'Previous' })).toBeDisabled()
  await waitFor(() => expect(questions.getByRole('heading', { name: /your vision/ })).toHaveFocus())

  const seen = new Set<string | null>()
  for (let at = 1; at < 12; at++) {
    seen.add(questions.getByRole('heading', { level: 3 }).textContent)
    await press(user, 'Next')
    expect(questions.getByRole('heading', { level: 3 })).toHaveFocus()
  }
  seen.add(questions.getByRole('heading', { level: 3 }).textContent)
  expect(seen.size).toBe(12)
  expect(step()).toBe('Step 12 of 12')
  expect(questions.queryByRole('button', { name: 'Next' })).not.toBeInTheDocument()
  expect(questions.getByRole('button', { name: 'Launch Partnership!' })).toBeVisible()

  await user.click(questions.getByRole('button', { name: 'Previous' }))
  expect(step()).toBe('Step 11 of 12')
})

test('keeps answers of every form, in this browser at once and on the server', async () => {
  const { user } = openAccount()
  const questions = await begin(user)
  await user.type(questions.getByRole('textbox', { name: /your vision/ }), 'Honest bots')
  expect(kept()).toEqual({ vision: 'Honest bots' })
  await goTo(user, 3)
  await user.click(questions.getByRole('checkbox', { name: 'Experiments in the open' }))
  await user.click(questions.getByRole('checkbox', { name: 'Prices that show their reasons' }))
  await user.click(questions.getByRole('checkbox', { name: 'Experiments in the open' }))
  await press(user, 'Next')
  const llm = within(questions.getByRole('radiogroup', { name: 'AI and language models' }))
  await user.click(llm.getByRole('radio', { name: '2' }))
  await user.click(llm.getByRole('radio', { name: '5' }))
  await goTo(user, 8, 4)
  await user.click(questions.getByRole('radio', { name: 'Plan first, then build' }))
  await press(user, 'Next')

  const answers = {
    vision: 'Honest bots',
    project_excitement: ['fair_pricing'],
    experience_level: { ai_llm: 5 },
    build_preference: 'plan_first',
  }
  expect(kept()).toEqual(answers)
  await waitFor(() => expect(member.saves.at(-1)).toEqual({ partnership: { answers, step: 9 } }))
})

test('saves an answer when the typing pauses', async () => {
  const { user } = openAccount()
  const questions = await begin(user)
  await user.type(questions.getByRole('textbox'), 'Honest bots')
  expect(member.saves).toEqual([])
  await later(1_000)
  await waitFor(() => expect(member.saves).toEqual([{ partnership: { answers: { vision: 'Honest bots' }, step: 1 } }]))
})

test('can be gone through by keyboard alone', async () => {
  const { user } = openAccount()
  const questions = await begin(user)
  await waitFor(() => expect(questions.getByRole('heading', { name: /your vision/ })).toHaveFocus())
  await user.keyboard('{Tab}')
  expect(questions.getByRole('textbox')).toHaveFocus()
  await user.keyboard('By keys{Tab}')
  expect(questions.getByRole('button', { name: 'Next' })).toHaveFocus()
  await user.keyboard('{Enter}')
  expect(step()).toBe('Step 2 of 12')
  await user.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  expect(kept()).toEqual({ vision: 'By keys' })
})

test('goes on where it was left', async () => {
  member.known.partnership = progress({ step: 4, answers: { vision: 'From another browser' } })
  const { user } = openAccount()
  await press(user, 'Go on with the questions')
  const questions = await dialog('Partnership discovery')
  expect(step()).toBe('Step 4 of 12')
  for (let at = 4; at > 1; at--) await user.click(questions.getByRole('button', { name: 'Previous' }))
  expect(questions.getByRole('textbox')).toHaveValue('From another browser')

  await user.type(questions.getByRole('textbox'), ' and this one')
  await user.keyboard('{Escape}')
  await waitFor(() => expect(member.known.partnership.answers).toEqual({ vision: 'From another browser and this one' }))
  await user.click(await screen.findByRole('button', { name: 'Start the questions' }))
  expect((await dialog('Partnership discovery')).getByRole('textbox')).toHaveValue('From another browser and this one')
})

test('goes on without the server, which gets all of it later', async () => {
  server.use(
    http.put('*/api/account/onboarding/:kind', () => HttpResponse.json(refusal('Broken.'), { status: 500 }), {
      once: true,
    }),
  )
  const { user } = openAccount()
  const questions = await begin(user)
  await user.type(questions.getByRole('textbox'), 'Not lost')
  await press(user, 'Next')
  expect(step()).toBe('Step 2 of 12')
  expect(await questions.findByText(/could not save this just now/)).toBeVisible()
  expect(member.saves).toEqual([])
  await press(user, 'Next')
  await waitFor(() => expect(member.saves).toEqual([{ partnership: { answers: { vision: 'Not lost' }, step: 3 } }]))
  await waitFor(() => expect(questions.queryByText(/could not save this just now/)).not.toBeInTheDocument())
})

test('brings what only this browser knows, and only to whom it belongs', async () => {
  localStorage.setItem('partnershipAnswers', JSON.stringify({ vision: 'Unsent', hacked: 1, first_feature: 'none' }))
  localStorage.setItem('partnershipAnswersOf', JSON.stringify({ memberId: 'm1', step: 1, saved: false }))
  const { user } = openAccount()
  const questions = await begin(user)
  expect(questions.getByRole('textbox')).toHaveValue('Unsent')
  await press(user, 'Next')
  await waitFor(() => expect(member.saves).toEqual([{ partnership: { answers: { vision: 'Unsent' }, step: 2 } }]))
})

test.each([
  ['another member', { memberId: 'm2', step: 5, saved: false }],
  ['a step that the server knows better', { memberId: 'm1', step: 5, saved: true }],
  ['nobody', null],
  ['a broken entry', 'x'],
])('leaves alone what this browser kept for %s', async (_, owner) => {
  localStorage.setItem('partnershipAnswers', JSON.stringify({ vision: 'Of somebody else' }))
  localStorage.setItem('partnershipAnswersOf', JSON.stringify(owner))
  const { user } = openAccount()
  const questions = await begin(user)
  expect(step()).toBe('Step 1 of 12')
  expect(questions.getByRole('textbox')).toHaveValue('')
})

test('ends with confetti, credits and an invitation, once', async () => {
  member.known.partnership.step = 12
  const { user } = openAccount()
  await press(user, 'Go on with the questions')
  const questions = await dialog('Partnership discovery')
  await user.type(questions.getByRole('textbox'), 'Everything')
  await user.click(questions.getByRole('button', { name: 'Launch Partnership!' }))
  await waitFor(() => expect(confetti()).toBeInTheDocument())
  expect(member.saves.at(-1)).toEqual({ partnership: { answers: { legendary_factor: 'Everything' }, step: 12 } })
  await user.click(questions.getByRole('button', { name: 'Launch Partnership!' })) // does nothing more
  await later(1_500)
  expect(screen.getByRole('dialog')).toBeVisible()
  expect(screen.queryByText('Partnership discovery is complete!')).not.toBeInTheDocument()
  await later(500)
  expect(await screen.findByText('Partnership discovery is complete!')).toBeVisible()
  expect(screen.getByText(/Let's build this together/)).toBeVisible()
  expect(screen.getByText('+5 credits: you have 95 now.')).toBeVisible()
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  expect(confetti()).toBeInTheDocument()
  await later(1_000)
  expect(confetti()).not.toBeInTheDocument()
  expect(member.completions).toEqual(['partnership'])
  await waitFor(() => expect(screen.getByRole('region', { name: 'Credits' })).toHaveTextContent('95 credits'))

  await user.click(screen.getByRole('button', { name: 'Change your answers' }))
  await goTo(user, 12)
  await user.click(screen.getByRole('button', { name: 'Launch Partnership!' }))
  await later(2_000)
  await waitFor(() => expect(member.completions).toEqual(['partnership', 'partnership']))
  await waitFor(() => expect(screen.queryByText(/you have 95 now/)).not.toBeInTheDocument())
  expect(screen.getByText('Partnership discovery is complete!')).toBeVisible()
})

test('is not celebrated while the server does not know of it', async () => {
  member.known.partnership.step = 12
  server.use(
    http.post('*/complete', () => HttpResponse.json(refusal('Something broke.'), { status: 500 }), { once: true }),
  )
  const { user } = openAccount()
  await press(user, 'Go on with the questions')
  const questions = await dialog('Partnership discovery')
  await user.click(questions.getByRole('button', { name: 'Launch Partnership!' }))
  expect(await questions.findByRole('alert')).toHaveTextContent('Something broke.')
  expect(confetti()).not.toBeInTheDocument()
  await user.click(questions.getByRole('button', { name: 'Launch Partnership!' }))
  await waitFor(() => expect(confetti()).toBeInTheDocument())
  await later(2_000)
  expect(await screen.findByText('Partnership discovery is complete!')).toBeVisible()
})

test('ends without confetti for those who want no motion', async () => {
  const still = (media: string) =>
    Object.assign(new EventTarget(), { matches: media.includes('reduced-motion'), media, onchange: null })
  vi.spyOn(window, 'matchMedia').mockImplementation((media) => still(media) as MediaQueryList)
  member.known.partnership.step = 12
  const { user } = openAccount()
  await press(user, 'Go on with the questions')
  await user.click(await screen.findByRole('button', { name: 'Launch Partnership!' }))
  await waitFor(() => expect(member.completions).toEqual(['partnership']))
  await later(1_000)
  expect(confetti()).not.toBeInTheDocument()
  await later(1_000)
  expect(await screen.findByText('Partnership discovery is complete!')).toBeVisible()
})
