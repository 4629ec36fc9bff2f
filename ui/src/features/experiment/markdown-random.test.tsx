import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'

import { openPage } from '@/test/render'

import { Markdown } from './markdown'
import './markdown-parsed' // fetched before, so that nobody waits for it below

/** Seeded random numbers, so that a failure can be repeated. */
function numbers(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Fragments with a meaning in Markdown, HTML or browsers. */
const pieces = [
  ...[
    '# ',
    '- ',
    '1. ',
    '> ',
    '```',
    '~~~js onload=x\n',
    '`',
    '**',
    '_',
    '~~',
    '|',
    '\n| - | :-: |\n',
    '[ ] ',
    '[x] ',
    '\\',
    '\n',
    '\n\n',
    '    ',
  ],
  ...[
    '[',
    ']',
    '(',
    ')',
    '![',
    '](',
    '](javascript:alert(1))',
    '](data:text/html,x)',
    '](https://example.com/a "t")',
    '[^1]',
    '[^1]: ',
    '[x]: vbscript:x\n',
    '<',
  ],
  ...[
    '<https://example.com>',
    '<javascript:alert(1)>',
    'www.example.com',
    'a@example.com',
    'https://example.com/?a=b&c',
    'javascript&colon;alert(1)',
  ],
  ...[
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<a href="javascript:alert(1)">',
    '</a>',
    '<svg/onload=x>',
    '<!--',
    '-->',
    '<style>',
    '<b ',
    '&#x6a;',
    '&lt;',
  ],
  ...['word', 'é', '👍', '\u202e', '\u0000', '\ufffd', ' ', '\t', '"', "'", '=', 'onclick=x'],
]

const tags =
  'DIV P H4 H5 H6 STRONG EM DEL CODE PRE UL OL LI BLOCKQUOTE A TABLE THEAD TBODY TR TH TD BR HR SPAN SUP SECTION'.split(
    ' ',
  )
const attributes =
  'class id href rel style tabindex role start aria-label aria-describedby data-footnotes data-footnote-ref data-footnote-backref'.split(
    ' ',
  )

const seed = Number(import.meta.env.VITE_FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31))

test(`whatever founders write, the page gets words and safe links of it (VITE_FUZZ_SEED=${seed})`, async () => {
  const draw = numbers(seed)
  const texts = Array.from({ length: 80 }, () =>
    Array.from({ length: 1 + draw(40) }, () => pieces[draw(pieces.length)]).join(''),
  )
  openPage('/', [{ path: '/', element: <Notes texts={texts} /> }])
  await screen.findByText('they are all there')
  await expect.poll(() => document.querySelector('[aria-busy]'), { timeout: 30_000 }).toBeNull() // the parser is large
  texts.forEach((text, i) => {
    for (const part of screen.getByTestId(`note ${i}`).querySelectorAll('*')) {
      expect(tags, text).toContain(part.tagName)
      for (const name of part.getAttributeNames()) expect(attributes, text).toContain(name)
      if (part.tagName === 'A') expect(part.getAttribute('href'), text).toMatch(/^(https?|mailto):/)
      expect(part.parentElement?.closest('a')?.querySelector('a') ?? null, text).toBeNull()
      expect(part.getAttribute('style') ?? '', text).toMatch(/^(text-align: (left|center|right);)?$/)
    }
  })
})

function Notes({ texts }: { texts: string[] }) {
  return (
    <main>
      {texts.map((text, i) => (
        <article key={text} data-testid={`note ${i}`}>
          <Markdown text={text} />
        </article>
      ))}
      <p>they are all there</p>
    </main>
  )
}
