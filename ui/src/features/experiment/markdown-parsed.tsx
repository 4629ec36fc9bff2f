import { Box } from '@mantine/core'
import { createContext, type ReactNode, use, useId } from 'react'
import ReactMarkdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'

import { headingLevels } from './heading-levels'
import { safeHref } from './safe-href'

/**
 * Renders Markdown. HTML stays text, links go to web and mail addresses only, and nothing is loaded from
 * other sites: an image would reveal the reader to its server.
 */
export default function MarkdownParsed({ text }: { text: string }) {
  const id = useId() // footnote IDs must differ between notes
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
  // A link without a target is rendered as text, and so is a link within a link, such as an image in one.
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
  h2: ({ children }) => <h4>{children}</h4>, // the heading of the footnotes
  a: ({ href, children }) => <Outward href={href}>{children}</Outward>,
  img: ({ src, alt }) => <Outward href={typeof src === 'string' ? src : undefined}>{alt || 'A picture'}</Outward>,
  // An element wider than the page scrolls by itself, also by keyboard.
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
