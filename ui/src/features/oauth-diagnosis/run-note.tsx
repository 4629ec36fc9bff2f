import { Text } from '@mantine/core'

import { RunLink } from '@/components/run-link'
import { clockTime } from '@/lib/time'

import type { Run } from './run'

/** The ID of the run, and when the next may start. */
export function RunNote({ run }: { run: Run }) {
  const answers = run.steps.flatMap(({ answer }) => answer ?? [])
  const last = answers.at(-1)
  if (last === undefined) return null
  const { startedAt, nextAt, runUrl } = last.found
  const [checked, next] = [startedAt, nextAt].map((at) => clockTime(Date.parse(at)))
  return (
    <Text size="sm" c="dimmed" className="numbers">
      {answers[0]?.earlier
        ? `There was a run a moment ago, and this is what it found: checked at ${checked}; another run may start at ${next}. `
        : `Checked at ${checked}; another run may start at ${next}. `}
      {runUrl !== '' && (
        <RunLink href={runUrl} inherit underline="always">
          Open this run
        </RunLink>
      )}
    </Text>
  )
}
