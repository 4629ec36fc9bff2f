import { expect, test } from 'vitest'

import { readCode } from './login-code'

test.each([
  ['as it is', '123456', '123456'],
  ['as the email shows it', ' 123 456 ', '123456'],
  ['with a hyphen', '123-456', '123456'],
  ['zeros in front stay', '000 042', '000042'],
  ['too short', '12345', null],
  ['too long', '1234567', null],
  ['no digits', 'abcdef', null],
  ['digits of another script', '١٢٣٤٥٦', null],
  ['nothing', '', null],
])('%s', (_, typed, code) => {
  expect(readCode(typed)).toBe(code)
})
