import { Skeleton } from '@mantine/core'
import { lazy, Suspense } from 'react'

import { AsWritten } from './as-written'
import classes from './markdown.module.css'

// The parser is larger than the rest of the page, and few pages have notes.
const Parsed = lazy(() => import('./markdown-parsed'))

/** Founders' text as Markdown. Nothing is shown before the parser has loaded. */
export function Markdown({ text }: { text: string }) {
  return (
    <div className={`${classes.prose} wrap-anywhere`}>
      <AsWritten text={text}>
        <Suspense fallback={<Skeleton h={48} aria-busy="true" />}>
          <Parsed text={text} />
        </Suspense>
      </AsWritten>
    </div>
  )
}
