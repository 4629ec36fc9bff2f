import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import { experimentQuery } from '@/api/experiments'

import { ExperimentAction } from './experiment-action'
import { ExperimentCard } from './experiment-card'

/** The experiment in the URL's hash, if the loaded list does not contain it. */
export function LinkedExperiment({ name }: { name: string }) {
  const { data: experiment, error } = useQuery(experimentQuery(name))
  if (experiment) {
    return (
      <ExperimentCard experiment={experiment} marked>
        <ExperimentAction experiment={experiment} />
      </ExperimentCard>
    )
  }
  return (
    <Text role="status" size="sm" c="dimmed" className="wrap-anywhere">
      {error ? `The address names “${name}”, which could not be found here.` : `Looking for “${name}”…`}
    </Text>
  )
}
