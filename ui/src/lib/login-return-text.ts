import type { LoginReturn } from './use-login-return'

// The meanings of the reasons that the server puts into the URL. No text from the URL is shown except an X handle,
// because anyone can write a link.
const reasons = new Map([
  ['no_answer', 'it did not answer'],
  ['no_token', 'it sent no token along'],
])

function reasonOf(details: string | null) {
  const status = /^http_([1-5]\d\d)$/.exec(details ?? '')?.[1]
  return status === undefined ? reasons.get(details ?? '') : `it answered ${status}`
}

const team = 'This experiment is limited to the founding team for now, so we cannot let you in with X yet.'
const handleMoved =
  "This handle was first used here by another X account, so you can't log in with it. Log in with that account or by email."

function greeting(details: string | null) {
  const name = /^handle:(\w{1,15})$/.exec(details ?? '')?.[1]
  return name === undefined ? 'Hi there!' : `Hi @${name}!`
}

const texts = new Map<string, (details: string | null) => string>([
  ['denied', () => 'Login was cancelled. No worries - you can try again anytime!'],
  ['unauthorized', (details) => `${greeting(details)} ${team}${details === 'handle_moved' ? ` ${handleMoved}` : ''}`],
  ['expired_token', () => 'Your login session timed out. Please try logging in again.'],
  ['x_api_down', (details) => `X API Error: ${reasonOf(details) ?? 'API is down'}`],
  ['access_token_failed', (details) => `OAuth Token Exchange Failed: ${reasonOf(details) ?? 'Unknown error'}`],
  ['invalid_response', () => 'We had trouble connecting to X. Please try again.'],
  ['server_error', () => 'Our servers hiccupped! Please try again in a moment.'],
  ['x_refused', () => "Authentication failed: X did not accept this app's keys. Run the login test to see why."],
  ['not_logged_in', () => 'You are not logged in. Please try logging in again.'],
  ['too_many', () => 'Authentication failed: too many logins in a short time. Please wait ten minutes.'],
  ['sandbox_on', () => 'Authentication failed: the sandbox lets nobody in from outside this machine.'],
])

export function loginReturnText({ error, details }: LoginReturn) {
  if (error === null) return 'Welcome back! You are logged in with X.'
  return texts.get(error)?.(details) ?? 'Authentication failed: Please try again.'
}
