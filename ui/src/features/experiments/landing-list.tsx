import { Anchor, Badge, Group, Text } from '@mantine/core'

import type { Experiment } from '@/api/experiments'
import { ExperimentBadge } from '@/components/experiment-badges'
import { number } from '@/lib/plural'

import { cutProblem } from './cut-problem'
import classes from './landing.module.css'
import { detailPath } from './names'

const most = 3

type Props = { experiments: Experiment[]; sample?: boolean }

/** Summaries of the first experiments. Samples are muted, labeled and without votes. */
export function LandingList({ experiments, sample = false }: Props) {
  if (experiments.length === 0) return <Text c="dimmed">No experiments yet.</Text>
  return (
    <ul className={classes.list} data-sample={sample || undefined}>
      {experiments.slice(0, most).map((experiment) => (
        <li key={experiment.id}>
          <Item experiment={experiment} sample={sample} />
        </li>
      ))}
    </ul>
  )
}

function Item({ experiment, sample }: { experiment: Experiment; sample: boolean }) {
  const { slug, title, status, problem } = experiment
  return (
    <>
      <Group gap="xs">
        <Anchor href={detailPath(slug)} underline="always" fw={600} className="wrap-anywhere" data-moving>
          {title}
        </Anchor>
        <ExperimentBadge status={status} />
        {sample && (
          <Badge variant="outline" color="gray">
            sample
          </Badge>
        )}
      </Group>
      <Text size="sm" mt={4} className="wrap-anywhere" data-moving>
        {cutProblem(problem)}
      </Text>
      {!sample && <Votes experiment={experiment} />}
    </>
  )
}

function Votes({ experiment: { upvotes, downvotes } }: { experiment: Experiment }) {
  return (
    <Text size="sm" c="dimmed" mt={4} className="numbers" data-moving>
      {number(upvotes)} up, {number(downvotes)} down
    </Text>
  )
}
