import { Group, Progress, Stack, Text, Title } from '@mantine/core'

import { ExperimentBadge, MeasureBadge } from '@/components/experiment-badges'
import { ExperimentVotes } from '@/components/experiment-votes'
import { Moment } from '@/components/moment'
import { number } from '@/lib/plural'
import { useHere } from '@/lib/use-here'

import { type Detail, numberText, originText, progressText } from './words'

/** The title, status and votes. */
export function Head({ experiment }: { experiment: Detail }) {
  return (
    <Stack gap="sm" component="header" mb="lg">
      <title>{`${experiment.title} · Customer Zero`}</title>
      <div>
        <Text size="sm" fw={600} c="dimmed">
          {numberText(experiment)}
        </Text>
        <Title order={1} className="wrap-anywhere">
          {experiment.title}
        </Title>
      </div>
      <Group gap="sm">
        <ExperimentBadge status={experiment.status} />
        <MeasureBadge experiment={experiment} />
        <Text size="sm" className="numbers" data-moving>
          {progressText(experiment)}
        </Text>
      </Group>
      <Progress.Root size="md" bg="var(--cz-free)">
        <Progress.Section value={experiment.progress} color="var(--cz-spent)" aria-label="Progress" />
      </Progress.Root>
      <Votes experiment={experiment} />
      <Text size="sm" c="dimmed" className="wrap-anywhere">
        {originText(experiment)} on <Moment at={experiment.submitted_at} />. Last changed{' '}
        <Moment at={experiment.updated_at} />.
      </Text>
    </Stack>
  )
}

// Closed votes are shown with the run that counted them, further below.
function Votes({ experiment }: { experiment: Detail }) {
  const here = useHere()
  const { status, votes_open, upvotes, downvotes, votes_closed_at } = experiment
  if (votes_open) return <ExperimentVotes experiment={experiment} next={here} />
  if (status === 'waiting') return null
  return (
    <Text size="sm" fw={600} className="numbers" data-moving>
      {votes_closed_at === undefined ? 'Votes' : 'Final count'}: {number(upvotes)} up, {number(downvotes)} down
    </Text>
  )
}
