import { SimpleGrid, Text } from '@mantine/core'
import { type ReactNode, useId } from 'react'

import classes from './composer.module.css'
import { markChanges } from './composer-diff'

type Side = { title: string; text: string; note?: ReactNode }

/** Two texts side by side with their differences underlined. */
export function TwoTexts({ left, right }: { left: Side; right: Side }) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
      <OneText side={left} other={right.text} />
      <OneText side={right} other={left.text} />
    </SimpleGrid>
  )
}

function OneText({ side: { title, text, note }, other }: { side: Side; other: string }) {
  const id = useId()
  let place = 0
  return (
    <figure className={classes.text} aria-labelledby={id}>
      <Text component="figcaption" id={id} size="sm" fw={650}>
        {title}
      </Text>
      <Text size="sm" className={`wrap-anywhere ${classes.words}`}>
        {markChanges(text, other).map((word) => {
          const key = place
          place += word.text.length
          return word.changed ? <mark key={key}>{word.text}</mark> : <span key={key}>{word.text}</span>
        })}
      </Text>
      {note && (
        <Text size="sm" c="dimmed">
          {note}
        </Text>
      )}
    </figure>
  )
}
