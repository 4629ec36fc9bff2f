import { Anchor, NativeSelect, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router'

import { type RunBrief, runListQuery } from '@/api/runs'
import { EmptyState } from '@/components/empty-state'
import { Loaded } from '@/components/loaded'
import { Moment } from '@/components/moment'
import { RunState } from '@/components/run-state'
import { Section } from '@/components/section'
import { flowName, lasted } from '@/lib/run-words'
import classes from './runs.module.css'

// The workflows with public runs; the server lists no others.
const flows = ['post', 'chaos', 'self-heal', 'game-day', 'verification', 'experiment', 'recurring-post']

export function RunList() {
  const [params, setParams] = useSearchParams()
  const flow = params.get('flow') ?? ''
  const query = useQuery(runListQuery(flow))
  const choose = (next: string) => setParams(next === '' ? {} : { flow: next }, { replace: true })
  return (
    <Section title="The newest" aside={<FlowSelect value={flow} onChange={choose} />}>
      <Loaded query={query} what="the runs" loading={<Skeleton h={240} aria-busy="true" />}>
        {({ runs }) => (runs.length === 0 ? <None /> : <Runs of={runs} />)}
      </Loaded>
    </Section>
  )
}

function FlowSelect({ value, onChange }: { value: string; onChange: (flow: string) => void }) {
  return (
    <NativeSelect
      aria-label="Flow"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={[{ value: '', label: 'Every flow' }, ...flows.map((flow) => ({ value: flow, label: flowName(flow) }))]}
    />
  )
}

const None = () => (
  <EmptyState title="Nothing has run yet">Break something, or post something: it shows here.</EmptyState>
)

function Runs({ of: runs }: { of: RunBrief[] }) {
  return (
    <ul className={classes.list}>
      {runs.map((run) => (
        <li key={run.runId}>
          <Anchor component={Link} to={run.path} className="wrap-anywhere" underline="always">
            {run.workflowId}
          </Anchor>
          <RunState of={run.state} />
          <Text size="sm" c="dimmed">
            <Moment at={run.startedAt} />
            {run.endedAt !== undefined && `, ${lasted(run.startedAt, run.endedAt)}`}
          </Text>
        </li>
      ))}
    </ul>
  )
}
