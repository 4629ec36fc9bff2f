import { Anchor, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import { ApiError } from '@/api/client'
import { latestExperimentsQuery } from '@/api/latest-experiments'
import { Section } from '@/components/section'
import { StaleNote } from '@/components/stale-note'
import { useTrouble } from '@/lib/use-trouble'

import { LandingList } from './landing-list'
import { sampleExperiments } from './sample'
import { SampleNote } from './sample-note'

/** Shows the first experiments on the landing page, which has no router, so links are plain. */
export function LandingExperiments() {
  const query = useQuery(latestExperimentsQuery)
  const trouble = useTrouble(query)
  return (
    <Section title="Live experiments">
      <Stack gap="md">
        <Text>What we try next is decided in public: members vote, and every result names the run that shows it.</Text>
        {query.data ? (
          <div>
            <StaleNote trouble={trouble} />
            <LandingList experiments={query.data.experiments} />
          </div>
        ) : trouble ? (
          <div>
            <SampleNote since={trouble.since} />
            <LandingList experiments={samplesFor(trouble.error)} sample />
          </div>
        ) : (
          <Skeleton h={240} aria-busy="true" />
        )}
        <Anchor href="/experiments" underline="always">
          See all experiments
        </Anchor>
      </Stack>
    </Section>
  )
}

// If the server responds with an error, it exists and has experiments; if it cannot be reached, one sample
// is enough.
const samplesFor = (error: Error) => (error instanceof ApiError ? sampleExperiments : sampleExperiments.slice(0, 1))
