import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import { statusQuery } from '@/api/verification'
import { Section } from '@/components/section'
import { StaleNote } from '@/components/stale-note'
import { useTrouble } from '@/lib/use-trouble'

import { sampleStatus } from './sample'
import { StandsAs } from './stands-as'
import { StandsSample } from './stands-sample'
import { StatusBadge } from './status-badge'

/** The status of the last site checks: live, last known, or a labeled sample. */
export function VerificationStatusPanel() {
  const query = useQuery(statusQuery)
  const trouble = useTrouble(query)
  const { status } = query.data ?? sampleStatus
  const told = query.data !== undefined || trouble !== null
  return (
    <Section
      title="How the site stands"
      aside={told && <StatusBadge status={status} sample={query.data === undefined} />}
    >
      {query.data ? (
        <>
          <StaleNote trouble={trouble} />
          <StandsAs status={query.data} knownSince={query.dataUpdatedAt} />
        </>
      ) : trouble ? (
        <StandsSample since={trouble.since} />
      ) : (
        <Skeleton h={320} aria-busy="true" />
      )}
    </Section>
  )
}
