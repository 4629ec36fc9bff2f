import { type APIRequestContext, expect } from '@playwright/test'

type Email = { id: string; subject: string; text: string }

/** The emails to an address in the mail sandbox, newest first. */
async function emailsTo(request: APIRequestContext, address: string): Promise<Email[]> {
  const answer = await request.get('/sandbox/mail.json', { params: { to: address } })
  expect(answer.ok()).toBe(true)
  return (await answer.json()).messages
}

/** Waits for the nth email to an address whose subject matches, oldest first, and returns its text. */
export async function emailTo(request: APIRequestContext, address: string, subject: RegExp, nth = 1) {
  const texts = async () =>
    (await emailsTo(request, address)).filter((letter) => subject.test(letter.subject)).map(({ text }) => text)
  await expect.poll(async () => (await texts()).length).toBeGreaterThanOrEqual(nth)
  return (await texts()).toReversed()[nth - 1] ?? ''
}

/** Returns the nth code that this test had emailed to an address. */
export async function codeFor(request: APIRequestContext, address: string, nth = 1) {
  const text = await emailTo(request, address, /your code/i, nth)
  const code = /\b(\d{3} ?\d{3})\b/.exec(text)?.[1]
  if (code === undefined) throw new Error('the email holds no code')
  return code
}
