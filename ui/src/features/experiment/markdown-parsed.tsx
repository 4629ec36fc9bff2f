import { Box } from '@mantine/core'
import { createContext, type ReactNode, use, useId } from 'react'
import ReactMarkdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'

import { headingLevels } from './heading-levels'
import { safeHref } from './safe-href'

/**
 * Markdown as parts of the page. HTML in it stays text, an address leads to the web or to a
 * mail box or nowhere, and nothing is loaded from elsewhere: a picture would tell its server
 * who reads this.
 */
export default function MarkdownParsed({ text }: { text: string }) {
  const id = useId() // footnotes of two notes must not share theirs
  return (
    <ReactMarkdown
      remarkPlugins={plugins}
      remarkRehypeOptions={{ clobberPrefix: id }}
      components={components}
      urlTransform={safeHref}
    >
      {text}
    </ReactMarkdown>
  )
}

const plugins = [remarkGfm, headingLevels]

const InLink = createContext(false)

function Outward({ href, children }: { href: string | undefined; children: ReactNode }) {
  const inLink = use(InLink)
  // What leads nowhere is text: a link that does nothing would only puzzle. So is a link in another,
  // as a picture may be: there is one place to go to.
  if (href === undefined || href === '' || inLink) return <>{children}</>
  return (
    <InLink value={true}>
      <a href={href} rel="noopener nofollow">
        {children}
      </a>
    </InLink>
  )
}

const components: Components = {
  h2: ({ children }) => <h4>{children}</h4>, // that of the footnotes
  a: ({ href, children }) => <Outward href={href}>{children}</Outward>,
  img: ({ src, alt }) => <Outward href={typeof src === 'string' ? src : undefined}>{alt || 'A picture'}</Outward>,
  // What is wider than the page scrolls by itself, with the keyboard, too.
  pre: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable
    <pre tabIndex={0}>{children}</pre>
  ),
  table: ({ children }) => (
    <Box role="group" aria-label="Table" tabIndex={0}>
      <table>{children}</table>
    </Box>
  ),
  input: ({ checked, type }) => (type === 'checkbox' ? <span>{checked ? '☑ ' : '☐ '}</span> : null),
}
