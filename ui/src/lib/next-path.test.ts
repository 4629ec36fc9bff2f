import { expect, test } from 'vitest'

import { nextPath } from './next-path'

test.each([
  ['/experiments'],
  ['/bot-operations?queue=all&page=2'],
  ['/experiments#001-public-experiments-page'],
  ['/docs?q=http://elsewhere.example/'],
  ['/'],
])('%s is ours', (path) => {
  expect(nextPath(path)).toBe(path)
})

test.each([
  ['nothing', null],
  ['an empty path', ''],
  ['a path without its slash', 'dashboard'],
  ['another host', '//elsewhere.example/'],
  ['another host, by three slashes', '///elsewhere.example'],
  ['another host, by a backslash', '/\\elsewhere.example'],
  ['a backslash further on', '/a\\..\\..\\elsewhere'],
  ['another host, behind dots', '/a/..//elsewhere.example'],
  ['another host, behind encoded dots', '/%2e//elsewhere.example'],
  ['another site', 'https://elsewhere.example/'],
  ['another site without slashes', 'https:elsewhere.example'],
  ['a script', 'javascript:alert(1)'],
  ['a tab in between', '/\t/elsewhere.example'],
  ['a line break in front', '\n//elsewhere.example'],
  ['a line break', '/a\r\nSet-Cookie: x=y'],
  ['a null', '/\u0000'],
  ['a blank in front', ' //elsewhere.example'],
  ['the login itself', '/auth/signin?next=/account'],
  ['the way out to X', '/auth/x/login'],
  ['a long one', `/${'a'.repeat(500)}`],
])('%s leads home', (_, path) => {
  expect(nextPath(path)).toBe('/dashboard')
})
