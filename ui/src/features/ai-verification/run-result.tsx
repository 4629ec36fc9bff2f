import { Stack } from '@mantine/core'

import { isOpen, type Verification } from '@/api/verification'
import { Section } from '@/components/section'

import { BrowserMissing } from './browser-missing'
import { Checks } from './checks'
import { Comment } from './comment'
import { Pictures } from './pictures'
import { Progress } from './progress'
import { RawResults } from './raw-results'
import { Summary } from './summary'

/** A run: its progress while it is running, then its results. */
export function RunResult({ run }: { run: Verification }) {
  const open = isOpen(run)
  return (
    <Stack gap="lg">
      {open && (
        <Section title={`Looking at ${run.path}`}>
          <Progress run={run} />
        </Section>
      )}
      {run.code === 'browser_missing' && <BrowserMissing />}
      <Summary run={run} />
      {run.shots.length > 0 && <Pictures run={run} />}
      {run.aiAnalysis !== '' && <Comment run={run} />}
      {run.testResults.checks.length > 0 && <Checks run={run} />}
      {!open && <RawResults run={run} />}
    </Stack>
  )
}
