import { Text } from '@mantine/core'
import type { ReactNode } from 'react'

import { isOpen, type Verification } from '@/api/verification'
import { Moment } from '@/components/moment'
import { RunLink } from '@/components/run-link'
import { Section } from '@/components/section'

import classes from './ai-verification.module.css'
import { Progress } from './progress'
import { VerdictBadge } from './verdict-badge'
import { askerLabel, tally, verdictStyle } from './words'

/**
 * The verdict of a run. The element is always mounted, because screen readers announce only changes in an
 * existing live region.
 */
export function Summary({ run }: { run: Verification }) {
  return (
    <div role="status" aria-label="Result" className={classes.result}>
      {!isOpen(run) && <Ended run={run} />}
    </div>
  )
}

function Ended({ run }: { run: Verification }) {
  return (
    <Section title={`Result for ${run.path}`} aside={<VerdictBadge run={run} />}>
      {run.reason && (
        <Text fw={600} mb="xs" className="wrap-anywhere">
          {run.reason}
        </Text>
      )}
      <Lowered run={run} />
      <Facts run={run} />
      <details className={classes.more}>
        <summary>The steps of this run</summary>
        <Progress run={run} />
      </details>
    </Section>
  )
}

/** Explains why the verdict is worse than the checks. */
function Lowered({ run: { checked, status } }: { run: Verification }) {
  if (checked === undefined || status === undefined || checked === status) return null
  return (
    <Text size="sm" mb="xs">
      The checks alone say {verdictStyle[checked].label.toLowerCase()}. The comment lowered it to{' '}
      {verdictStyle[status].label.toLowerCase()}.
    </Text>
  )
}

function Facts({ run }: { run: Verification }) {
  const { successRate, frameworkStatus } = run.testResults
  return (
    <dl className={classes.facts}>
      <Fact name="Success rate">
        {run.passed + run.failed === 0 ? 'none: no check could be made' : `${successRate} % (${tally(run)})`}
      </Fact>
      <Fact name="Framework status">{frameworkStatus}</Fact>
      {run.endedAt && (
        <Fact name="Timestamp">
          <Moment at={run.endedAt} />
        </Fact>
      )}
      <Fact name="Page">{run.url}</Fact>
      <Fact name="Asked by">{askerLabel[run.requestedBy]}</Fact>
      {run.prompt && <Fact name="Wanted to know">{run.prompt}</Fact>}
      {run.runUrl !== '' && (
        <Fact name="Run">
          <RunLink href={run.runUrl}>Open run</RunLink>
        </Fact>
      )}
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="numbers wrap-anywhere">{children}</dd>
    </div>
  )
}
