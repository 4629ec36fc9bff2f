import { screen } from '@testing-library/react'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'

import { openPage } from '@/test/render'

import { Markdown } from './markdown'
import { safeHref } from './safe-href'

/** Opens a page with the note and waits until its parser has rendered `sign`. */
async function show(text: string, sign: string | RegExp) {
  openPage('/', [
    {
      path: '/',
      element: (
        <main>
          <Markdown text={text} />
        </main>
      ),
    },
  ])
  await screen.findAllByText(sign)
  return screen.getByRole('main')
}

test('what founders write is formatted', async () => {
  const note = await show('**Bold**, *leaning* and `code`.\n\n- one\n- two\n\n1. first\n\n> said\n\n~~gone~~', 'Bold')
  for (const tag of ['strong', 'em', 'code', 'ul', 'ol', 'blockquote', 'del'])
    expect(note.querySelector(tag)).toBeInTheDocument()
})

test.each([
  ['# One\n\n## Two\n\n### Three\n\n#### Four\n\n##### Five\n\n###### Six', 'H4 H5 H6 H6 H6 H6'],
  ['### Deep first\n\n# Then high\n\n### Deep again\n\n## Between', 'H4 H4 H5 H5'],
  ['###### Only this', 'H4'],
  ['# One\n\n> ## Said\n\n- ### Listed', 'H4 H5 H6'],
])('headings begin below those of the page, and skip no level: %j', async (text, levels) => {
  const note = await show(`${text}\n\nthe end`, 'the end')
  expect([...note.querySelectorAll('h1, h2, h3, h4, h5, h6')].map(({ tagName }) => tagName).join(' ')).toBe(levels)
})

test('a table and a block of code scroll by themselves, with the keyboard, too', async () => {
  const note = await show('| a | b |\n| - | - |\n| 1 | 2 |\n\n```\nlong\n```', 'long')
  expect(screen.getByRole('group', { name: 'Table' })).toHaveAttribute('tabindex', '0')
  expect(screen.getByRole('table')).toBeVisible()
  expect(note.querySelector('pre')).toHaveAttribute('tabindex', '0')
})

test('boxes to tick are signs and not fields', async () => {
  const note = await show('- [x] done\n- [ ] to do', /done/)
  expect(note.querySelector('input')).toBeNull()
  expect(note).toHaveTextContent('☑ done')
  expect(note).toHaveTextContent('☐ to do')
})

test.each([
  ['https://example.com/a?b=c', 'https://example.com/a?b=c'],
  ['http://example.com', 'http://example.com/'],
  ['mailto:ana@example.com', 'mailto:ana@example.com'],
])('a link to %s is one, and vouches for nothing', async (address, href) => {
  await show(`[there](${address})`, 'there')
  const link = screen.getByRole('link', { name: 'there' })
  expect(link).toHaveAttribute('href', href)
  expect(link).toHaveAttribute('rel', 'noopener nofollow')
})

test('an address that stands there by itself is a link, too', async () => {
  await show('See https://example.com/x for it.', 'https://example.com/x')
  expect(screen.getByRole('link')).toHaveAttribute('rel', 'noopener nofollow')
})

const hostile = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\tscript:alert(1)',
  ' javascript:alert(1)',
  '&#106;avascript:alert(1)',
  'javascript&colon;alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:msgbox(1)',
  'file:///etc/passwd',
  'blob:https://example.com/1',
  '//example.com',
  '/pricing',
  '#anchor',
  '',
]

test.each(hostile)('a link to %o leads nowhere', async (address) => {
  const note = await show(`[there](<${address}>)`, /there/)
  expect(note.querySelector('a')).toBeNull()
})

test.each(hostile)('and %o is not an address', (address) => expect(safeHref(address)).toBe(''))

test('a link by reference is no way around that', async () => {
  const note = await show('[there][x]\n\n[x]: javascript:alert(1)', 'there')
  expect(note.querySelector('a')).toBeNull()
})

test('a picture is not loaded: its words lead to it', async () => {
  const note = await show('![A graph](https://example.com/spy.png)', 'A graph')
  expect(note.querySelector('img')).toBeNull()
  expect(screen.getByRole('link', { name: 'A graph' })).toHaveAttribute('href', 'https://example.com/spy.png')
})

test.each(['data:image/png;base64,AAAA', 'javascript:alert(1)'])('a picture from %o is words alone', async (src) => {
  const note = await show(`![A graph](${src})`, 'A graph')
  expect(note.querySelector('img, a')).toBeNull()
})

test('a picture without words and a picture in a link are no holes', async () => {
  const note = await show(
    '![](https://example.com/spy.png)\n\n[![x](https://example.com/y.png)](javascript:alert(1))',
    'A picture',
  )
  expect(note.querySelector('img')).toBeNull()
  expect([...note.querySelectorAll('a')].map((link) => link.getAttribute('href'))).toEqual([
    'https://example.com/spy.png',
    'https://example.com/y.png',
  ])
})

test.each([
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)><animate onbegin=alert(1)></svg>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<a href="javascript:alert(1)" onclick="alert(1)">x</a>',
  '<div><p><b><img src=x onerror=alert(1)></b></p></div>',
  '<style>body{display:none}</style>',
  '<form action="https://example.com"><input name=q></form>',
  '**bold <img src=x onerror=alert(1)> text**',
  '<<script>script>alert(1)<</script>/script>',
  '<!-- --><script>alert(1)</script><!-- -->',
])('HTML stays text: %s', async (html) => {
  const note = await show(`${html}\n\nthe end`, 'the end')
  expect(note.querySelector('script, img, svg, iframe, style, form, input, a')).toBeNull()
  expect([...note.querySelectorAll('*')].flatMap((part) => part.getAttributeNames()).filter(isHandler)).toEqual([])
  expect(note).toHaveTextContent(/[<>]/)
})

const isHandler = (name: string) => name.startsWith('on')

test('footnotes of two notes do not share their places', async () => {
  openPage('/', [
    {
      path: '/',
      element: (
        <main>
          <Markdown text={'one[^1]\n\n[^1]: note'} />
          <Markdown text={'two[^1]\n\n[^1]: note'} />
        </main>
      ),
    },
  ])
  await screen.findByText(/^two/)
  await screen.findByText(/^one/)
  const ids = [...screen.getByRole('main').querySelectorAll('[id]')].map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})

test.each([102, 4_000])(
  '%d quotes in one another are shown as written, until they are written otherwise',
  async (quotes) => {
    vi.spyOn(console, 'error').mockImplementation(() => {}) // React tells of what it caught
    const { user } = openPage('/', [{ path: '/', element: <Rewritten texts={['>'.repeat(quotes), '**better**']} /> }])
    expect(await screen.findByText('>'.repeat(quotes))).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Rewrite' }))
    expect((await screen.findByText('better')).tagName).toBe('STRONG')
  },
)

function Rewritten({ texts: [first, second] }: { texts: [string, string] }) {
  const [text, setText] = useState(first)
  return (
    <>
      <button type="button" onClick={() => setText(second)}>
        Rewrite
      </button>
      <Markdown text={text} />
    </>
  )
}

test.each([
  ['one word', 'x'.repeat(8_000)],
  ['open brackets', '['.repeat(8_000)],
  ['stars', '*a **b '.repeat(1_000)],
  ['a hundred lists', '- a\n'.repeat(2_000)],
])('8,000 characters are shown: %s', async (_, text) => {
  const note = await show(`${text}\n\nthe end`, 'the end')
  expect(note).toHaveTextContent('the end')
})
