import { expect, test } from 'vitest'

import { webURL } from './web-url'

test.each([
  ['https://checkout.stripe.com/c/pay/cs_1#x', 'https://checkout.stripe.com/c/pay/cs_1#x'],
  ['http://127.0.0.1:8080/sandbox/stripe/pay/cs_1', 'http://127.0.0.1:8080/sandbox/stripe/pay/cs_1'],
  ['javascript:alert(1)', null],
  [' javascript:alert(1)', null],
  ['data:text/html,hi', null],
  ['/sandbox/stripe', null],
  ['', null],
  [undefined, null],
])('%s is followed as %s', (address, followed) => {
  expect(webURL(address)).toBe(followed)
})
