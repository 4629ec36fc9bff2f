import { Stack, Text } from '@mantine/core'

import type { Experiment, ExperimentFilter } from '@/api/experiments'
import { plural } from '@/lib/plural'
import { ExperimentAction } from './experiment-action'
import { ExperimentCard } from './experiment-card'
import { countId } from './focus-list'
import { LinkedExperiment } from './linked-experiment'
import { isNamed } from './names'
import { NothingFound } from './nothing-found'
import { useAnchor } from './use-anchor'

type Props = { experiments: Experiment[]; total: number; filter: ExperimentFilter }

/** The filtered experiments, and the one in the URL's hash. */
export function LabList({ experiments, total, filter }: Props) {
  const name = useAnchor()
  const marked = experiments.find((experiment) => isNamed(experiment, name))
  return (
    <Stack gap="md">
      <Text role="status" id={countId} tabIndex={-1} size="sm" c="dimmed" className="numbers" data-moving>
        {plural(total, 'experiment')}
      </Text>
      {name !== '' && marked === undefined && <LinkedExperiment name={name} />}
      {experiments.length === 0 && <NothingFound filter={filter} />}
      {experiments.map((experiment) => (
        <ExperimentCard key={experiment.id} experiment={experiment} marked={experiment === marked}>
          <ExperimentAction experiment={experiment} />
        </ExperimentCard>
      ))}
    </Stack>
  )
}
