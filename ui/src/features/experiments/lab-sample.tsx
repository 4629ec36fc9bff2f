import { Button, Group, Stack, Text } from '@mantine/core'

import { IconRetry } from '@/components/icons'

import { ExperimentCard } from './experiment-card'
import { sampleExperiments } from './sample'
import { SampleNote } from './sample-note'

type Props = { since: number; retrying: boolean; onRetry: () => void }

/** Built-in sample experiments, shown instead of live data. */
export function LabSample({ since, retrying, onRetry }: Props) {
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="sm">
        <SampleNote since={since} />
        <Button
          size="xs"
          variant="default"
          leftSection={<IconRetry size={14} />}
          aria-disabled={retrying}
          onClick={() => retrying || onRetry()}
        >
          {retrying ? 'Trying…' : 'Retry'}
        </Button>
      </Group>
      <ExperimentCard experiment={sampleExperiments[0]} sample>
        <Text size="sm" c="dimmed">
          Nobody can vote on a sample.
        </Text>
      </ExperimentCard>
    </Stack>
  )
}
