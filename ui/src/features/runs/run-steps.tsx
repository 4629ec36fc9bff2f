import { Text } from '@mantine/core'

import type { Run, RunStep } from '@/api/runs'
import { RunFacts } from '@/components/run-facts'
import { stateWord } from '@/components/run-state'
import { Section } from '@/components/section'
import { since, took } from '@/lib/run-words'
import classes from './runs.module.css'

/** The events of a run, in order. */
export function RunSteps({ run }: { run: Run }) {
  return (
    <Section title="What happened">
      {run.steps.length === 0 ? (
        <Text c="dimmed">Nothing yet that has a name.</Text>
      ) : (
        <ol className={classes.steps}>
          {run.steps.map((step, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a history only grows at its end
            <Step key={i} run={run} step={step} />
          ))}
        </ol>
      )}
      {run.cut && (
        <Text c="dimmed" size="sm" mt="md">
          The history goes on; only its beginning is shown here.
        </Text>
      )}
    </Section>
  )
}

function Step({ run, step }: { run: Run; step: RunStep }) {
  const duration = took(step)
  return (
    <li data-state={step.state}>
      <span className={`${classes.since} numbers`}>{since(run, step)}</span>
      <div>
        <Text fw={600} className="wrap-anywhere">
          {step.title}
        </Text>
        {(step.state !== 'done' || duration !== undefined || step.attempt !== undefined) && (
          <Text size="sm" c="dimmed">
            {[
              step.state !== 'done' && stateWord(step.state),
              duration !== undefined && `took ${duration}`,
              step.attempt !== undefined && step.attempt > 1 && `tried ${step.attempt} times`,
            ]
              .filter(Boolean)
              .join(' · ')}
          </Text>
        )}
        {step.failure !== undefined && (
          <Text size="sm" className={classes.failure ?? ''}>
            {step.failure}
          </Text>
        )}
        <RunFacts of={step.facts} />
      </div>
    </li>
  )
}
