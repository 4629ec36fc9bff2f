import { expect, test } from 'vitest'

import { loginReturnText } from './login-return-text'

test.each([
  ['nothing went wrong', null, null, 'Welcome back! You are logged in with X.'],
  ['cancelled', 'denied', null, 'Login was cancelled. No worries - you can try again anytime!'],
  ['timed out', 'expired_token', null, 'Your login session timed out. Please try logging in again.'],
  ['X is down, nobody knows why', 'x_api_down', null, 'X API Error: API is down'],
  ['X is down and says so', 'x_api_down', 'http_503', 'X API Error: it answered 503'],
  ['X says nothing', 'x_api_down', 'no_answer', 'X API Error: it did not answer'],
  ['no exchange', 'access_token_failed', null, 'OAuth Token Exchange Failed: Unknown error'],
  ['refused exchange', 'access_token_failed', 'http_401', 'OAuth Token Exchange Failed: it answered 401'],
  ['nonsense from X', 'invalid_response', 'no_token', 'We had trouble connecting to X. Please try again.'],
  ['our own fault', 'server_error', null, 'Our servers hiccupped! Please try again in a moment.'],
  [
    'wrong keys',
    'x_refused',
    'http_401',
    "Authentication failed: X did not accept this app's keys. Run the login test to see why.",
  ],
  ['too often', 'too_many', null, 'Authentication failed: too many logins in a short time. Please wait ten minutes.'],
  [
    'an open sandbox',
    'sandbox_on',
    null,
    'Authentication failed: the sandbox lets nobody in from outside this machine.',
  ],
  ['a code that we do not know', 'whatever', null, 'Authentication failed: Please try again.'],
  ['a code made to trip us', 'constructor', null, 'Authentication failed: Please try again.'],
  ['a text in the address', 'whatever', 'Call 555 to log in', 'Authentication failed: Please try again.'],
  ['a text for X', 'x_api_down', 'Call 555 to log in', 'X API Error: API is down'],
  ['a status made of more', 'x_api_down', 'http_503 call 555', 'X API Error: API is down'],
])('%s', (_, error, details, text) => {
  expect(loginReturnText({ error, details })).toBe(text)
})

test('a stranger is greeted, and told who may log in', () => {
  expect(loginReturnText({ error: 'unauthorized', details: null })).toMatch(/^Hi there!.* founding team/)
  expect(loginReturnText({ error: 'unauthorized', details: 'handle:eve_9' })).toMatch(/^Hi @eve_9! .* founding team/)
  for (const details of ['handle:call 555', `handle:${'x'.repeat(16)}`, 'eve_9']) {
    expect(loginReturnText({ error: 'unauthorized', details })).toMatch(/^Hi there! /)
  }
  expect(loginReturnText({ error: 'unauthorized', details: 'handle_moved' })).toContain(
    "This handle was first used here by another X account, so you can't log in with it. Log in with that account or by email.",
  )
})
