import { Code, Stack, Text } from '@mantine/core'
import { useId } from 'react'

import type { Schemas } from '@/api/client'
import { number, plural } from '@/lib/plural'

import classes from './receipt.module.css'

/** The model's prompt and response, word for word. */
export function Exchange({ model }: { model: NonNullable<Schemas['Receipt']['model']> }) {
  return (
    <details className={classes.exchange}>
      <summary>The exact question and answer</summary>
      <Stack gap="sm" mt="sm">
        <Text size="sm" c="dimmed" className="numbers">
          {model.name}, prompt {model.prompt}: {plural(model.tokens_in, 'token')} in, {number(model.tokens_out)} out,{' '}
          {number(model.took_ms)} ms.
        </Text>
        <Words title="Question" text={model.question} />
        <Words title="Answer" text={model.answer} />
      </Stack>
    </details>
  )
}

function Words({ title, text }: { title: string; text: string }) {
  const id = useId()
  return (
    <div>
      <Text fw={600} size="sm" mb={4} id={id}>
        {title}
      </Text>
      <Code block role="region" aria-labelledby={id} tabIndex={0} className={classes.words ?? ''}>
        {text || '(none)'}
      </Code>
    </div>
  )
}
