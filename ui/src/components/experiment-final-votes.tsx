import { Group, Text } from '@mantine/core'

import type { Experiment } from '@/api/experiments'
import { number } from '@/lib/plural'

import { RunLink } from './run-link'

/** The final votes, with the run that counted them. */
export function FinalVotes({ experiment }: { experiment: Pick<Experiment, 'upvotes' | 'downvotes' | 'runUrl'> }) {
  const { upvotes, downvotes, runUrl } = experiment
  return (
    <Group gap="sm">
      <Text size="sm" fw={600} className="numbers" data-moving>
        Final count: {number(upvotes)} up, {number(downvotes)} down
      </Text>
      {runUrl !== '' && (
        <RunLink href={runUrl} size="sm" underline="always">
          The run that counted
        </RunLink>
      )}
    </Group>
  )
}
