import { Anchor, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'

import type { Schemas } from '@/api/client'
import { agreementQuery } from '@/api/verification'
import { EmptyState } from '@/components/empty-state'
import { Loaded } from '@/components/loaded'
import { Section } from '@/components/section'

import { AnalystAgreement } from './analyst-agreement'
import classes from './verification-status.module.css'

/** How often AI reviews of the broken target's screenshots agreed with its checks. */
export function Agreement() {
  const query = useQuery(agreementQuery)
  return (
    <Section title="How often was the comment right?">
      <Loaded query={query} what="the agreement" loading={<Skeleton h={120} aria-busy="true" />}>
        {(counted) => <Counted agreements={counted} />}
      </Loaded>
    </Section>
  )
}

function Counted({ agreements: { analysts, formula } }: { agreements: Schemas['Agreements'] }) {
  if (analysts.every(({ compared, unclear }) => compared + unclear === 0)) return <NothingCompared />
  return (
    <Stack gap="md">
      <ul className={classes.analysts} aria-label="Analysts">
        {analysts.map((one) => (
          <AnalystAgreement key={one.analyst} of={one} />
        ))}
      </ul>
      <Text size="sm" c="dimmed">
        {formula}
      </Text>
    </Stack>
  )
}

function NothingCompared() {
  return (
    <EmptyState title="Nothing compared yet">
      Where something is broken on purpose, it is known what the comment should say:{' '}
      <Anchor component={Link} to="/chaos-monkey" inherit underline="always">
        break the chaos target
      </Anchor>
      .
    </EmptyState>
  )
}
