import { Anchor, Group, Stack, Text } from '@mantine/core'
import { Link } from 'react-router'

import { isRunning, type Run } from '@/api/runs'
import { ExternalLink } from '@/components/external-link'
import { Moment } from '@/components/moment'
import { RunFacts } from '@/components/run-facts'
import { RunState } from '@/components/run-state'
import { Section } from '@/components/section'
import { lasted } from '@/lib/run-words'

export function RunSummary({ run }: { run: Run }) {
  return (
    <Section title={run.title} aside={<RunState of={run.state} />}>
      <Stack gap="sm">
        <Text>{run.description}</Text>
        <Text size="sm" c="dimmed">
          Began <Moment at={run.startedAt} />
          {run.endedAt !== undefined && `, and took ${lasted(run.startedAt, run.endedAt)}`}
          {isRunning(run) && ', and is still under way'}. Its history has {run.events} events; those that have a name
          are shown.
        </Text>
        <RunFacts of={run.result} />
        <Group gap="md">
          {run.subjectUrl !== undefined && (
            <Anchor component={Link} to={run.subjectUrl} underline="always">
              Related page
            </Anchor>
          )}
          {run.consoleUrl !== undefined && (
            <ExternalLink href={run.consoleUrl}>The whole history in the Temporal console</ExternalLink>
          )}
        </Group>
        <Text size="xs" c="dimmed" className="wrap-anywhere" ff="monospace">
          {run.workflowId} · {run.runId}
        </Text>
      </Stack>
    </Section>
  )
}
