import { Anchor, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import { statusQuery } from '@/api/verification'
import { Section } from '@/components/section'
import { StaleNote } from '@/components/stale-note'
import { useTrouble } from '@/lib/use-trouble'

import { verificationPath } from './addresses'
import { LandingFacts } from './landing-facts'
import { LandingSample } from './landing-sample'

/** The site's status on the landing page, which has no router, so its links load the app. */
export function LandingVerification() {
  const query = useQuery(statusQuery)
  const trouble = useTrouble(query)
  return (
    <Section title="AI verification">
      <Stack gap="md">
        <Text>
          Every part of this site can break. So a real browser opens it, checks it and keeps a picture of what it saw.
        </Text>
        {query.data ? (
          <div>
            <StaleNote trouble={trouble} />
            <LandingFacts status={query.data} knownSince={query.dataUpdatedAt} />
          </div>
        ) : trouble ? (
          <LandingSample since={trouble.since} />
        ) : (
          <Skeleton h={180} aria-busy="true" />
        )}
        <Anchor href={verificationPath} underline="always">
          All verifications, and the next one
        </Anchor>
      </Stack>
    </Section>
  )
}
