import { Anchor, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'

import { isRunning, type Run, type RunBrief, runListQuery, runQuery } from '@/api/runs'
import { EmptyState } from '@/components/empty-state'
import { Loaded } from '@/components/loaded'
import { RunFacts } from '@/components/run-facts'
import { RunState } from '@/components/run-state'
import { Section } from '@/components/section'
import { since } from '@/lib/run-words'

import classes from './agent-demo.module.css'
import { Controls } from './controls'
import { Ring } from './ring'
import { indexOf } from './steps'
import { usePlayback } from './use-playback'

/** Plays the newest real run through the same steps. */
export function Live() {
  const list = useQuery(runListQuery('', 1))
  return (
    <Loaded query={list} what="the newest run" loading={<Waiting />}>
      {({ runs: [newest] }) => (newest === undefined ? <Nothing /> : <Newest key={newest.runId} brief={newest} />)}
    </Loaded>
  )
}

const Waiting = () => <Skeleton h={320} aria-busy="true" />

const Nothing = () => (
  <Section title="The newest run">
    <EmptyState title="Nothing has run yet">
      Press a button on{' '}
      <Anchor component={Link} to="/chaos-monkey" underline="always" inherit>
        the chaos page
      </Anchor>
      , and watch it here.
    </EmptyState>
  </Section>
)

function Newest({ brief }: { brief: RunBrief }) {
  const query = useQuery(runQuery(brief.workflowId, brief.runId))
  return (
    <Loaded query={query} what="the run" loading={<Waiting />}>
      {(run) => <Playback run={run} />}
    </Loaded>
  )
}

function Playback({ run }: { run: Run }) {
  const { at, phase, toggle, reset } = usePlayback(run.steps.length, isRunning(run))
  const step = run.steps[at]
  return (
    <Section title={run.title} aside={<RunState of={run.state} />}>
      <Stack gap="md">
        <Controls phase={phase} onToggle={toggle} onReset={reset} />
        <Text role="status" className="wrap-anywhere" data-moving>
          {step ? `${at + 1} of ${run.steps.length}, ${since(run, step)}: ${step.title}` : 'It has just begun.'}
          {phase === 'complete' && ' That was all.'}
        </Text>
        {step && (
          <div className={classes.facts} data-moving>
            <RunFacts of={step.facts} />
          </div>
        )}
        <Ring current={indexOf(step?.stage ?? 'notice')} active={step !== undefined} />
        <Anchor component={Link} to={run.path} underline="always">
          Open this run
        </Anchor>
      </Stack>
    </Section>
  )
}
