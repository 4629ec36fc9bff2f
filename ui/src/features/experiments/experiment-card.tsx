import { Anchor, Badge, Card, Group, Progress, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

import type { Experiment } from '@/api/experiments'
import { ExperimentBadge, MeasureBadge } from '@/components/experiment-badges'
import { experimentStyle } from '@/components/experiment-style'
import { Moment } from '@/components/moment'

import { CardFacts } from './card-facts'
import classes from './experiments.module.css'
import { cardId, dayText, detailPath, fullTitle } from './names'
import { useShowMarked } from './use-anchor'

type Props = { experiment: Experiment; marked?: boolean; sample?: boolean; children: ReactNode }

/** A summary of an experiment. The children are its actions: a vote or a founder's decision. */
export function ExperimentCard({ experiment, marked = false, sample = false, children }: Props) {
  const node = useShowMarked(marked)
  return (
    <Card
      ref={node}
      component="article"
      withBorder
      padding="lg"
      id={cardId(experiment.id)}
      tabIndex={-1}
      className={classes.card ?? ''}
      aria-label={fullTitle(experiment)}
      {...(marked && { 'data-marked': true, 'aria-current': 'location' as const })}
      {...(sample && { 'data-sample': true })}
    >
      <Stack gap="md">
        <Head experiment={experiment} sample={sample} />
        {children}
        <CardFacts experiment={experiment} />
        <Bar experiment={experiment} sample={sample} />
        <Group justify="space-between" gap="sm">
          <Anchor component={Link} to={detailPath(experiment.slug)} underline="always">
            Read Lab Notes
          </Anchor>
          <Text size="sm" c="dimmed" data-moving>
            Last update <Moment at={experiment.updated_at} />
          </Text>
        </Group>
      </Stack>
    </Card>
  )
}

function Head({ experiment, sample }: { experiment: Experiment; sample: boolean }) {
  const { icon: Icon } = experimentStyle[experiment.status]
  return (
    <div>
      <Group gap="xs" mb={4} wrap="nowrap" align="baseline" className={classes.head ?? ''}>
        <Icon size={18} />
        <Title order={2} className={`${classes.title} wrap-anywhere`}>
          {fullTitle(experiment)}
        </Title>
      </Group>
      <Group gap="xs">
        <ExperimentBadge status={experiment.status} />
        <MeasureBadge experiment={experiment} />
        {sample && (
          <Badge variant="outline" color="gray">
            sample
          </Badge>
        )}
        <Text size="sm" c="dimmed" className="numbers" data-moving>
          {dayText(experiment)}
        </Text>
      </Group>
    </div>
  )
}

function Bar({ experiment: { title, progress }, sample }: { experiment: Experiment; sample: boolean }) {
  return (
    <Progress.Root size="md" bg="var(--cz-free)" data-moving>
      <Progress.Section
        value={progress}
        color={sample ? 'gray.5' : 'var(--cz-spent)'}
        aria-label={`Progress of ${title}`}
      />
    </Progress.Root>
  )
}
