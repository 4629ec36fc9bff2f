import { Code, Stack } from '@mantine/core'

import type { Verification } from '@/api/verification'
import { CopyText } from '@/components/copy-text'
import { Section } from '@/components/section'

import classes from './ai-verification.module.css'

/** The run as JSON, as the API returns it. */
export function RawResults({ run: { screenshot: _, ...run } }: { run: Verification }) {
  const text = JSON.stringify(run, null, 2)
  return (
    <Section title="Raw test results">
      <details className={classes.more}>
        <summary>What the server answers, as JSON</summary>
        <Stack gap="xs" mt="xs">
          <div>
            <CopyText text={text} what="JSON" />
          </div>
          <Code block role="region" aria-label="The run as JSON" tabIndex={0} className={classes.raw ?? ''}>
            {text}
          </Code>
        </Stack>
      </details>
    </Section>
  )
}
