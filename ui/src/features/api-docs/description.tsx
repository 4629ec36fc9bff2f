import { Anchor, Code } from '@mantine/core'
import ReactMarkdown, { type Components } from 'react-markdown'

import classes from './api-docs.module.css'

const components: Components = {
  a: ({ href, children }) => (
    <Anchor href={href ?? ''} inherit underline="always">
      {children}
    </Anchor>
  ),
  code: ({ children }) => <Code>{children}</Code>,
}

/** A description of the OpenAPI document, which is Markdown. */
export function Description({ text }: { text: string | undefined }) {
  if (text === undefined || text === '') return null
  return (
    <div className={classes.description}>
      <ReactMarkdown components={components} disallowedElements={['img']}>
        {text}
      </ReactMarkdown>
    </div>
  )
}
