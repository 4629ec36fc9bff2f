import { Box } from '@mantine/core'
import { useParams } from 'react-router'

import { ExperimentDetails } from '@/features/experiment/experiment-details'
import { LabSample } from '@/features/experiments/lab-sample'
import { sampleExperiments } from '@/features/experiments/sample'

export function ExperimentPage() {
  const { slug = '' } = useParams()
  const { id, slug: sampled } = sampleExperiments[0]
  const hasSample = slug === id || slug === sampled
  return (
    <Box maw={1080}>
      <ExperimentDetails
        key={slug}
        slug={slug}
        sample={
          hasSample
            ? ({ since }, retrying, onRetry) => <LabSample since={since} retrying={retrying} onRetry={onRetry} />
            : undefined
        }
      />
    </Box>
  )
}
