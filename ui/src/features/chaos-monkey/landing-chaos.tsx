import { Anchor, Button, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import { Loaded } from '@/components/loaded'
import { Section } from '@/components/section'

import classes from './landing.module.css'
import { LandingEvent } from './landing-event'
import { isOpen, recentChaosQuery, useStartChaos } from './queries'
import { StartRefused } from './start-refused'

const tests = [
  { type: 'delete-og-image', label: 'Delete the preview image' },
  { type: 'corrupt-worker', label: 'Corrupt the worker' },
  { type: 'break-database', label: 'Break the database' },
]

/**
 * Lets a visitor of the landing page break the chaos target and shows the result of the latest test. The
 * landing page has no router, so its links load the app.
 */
export function LandingChaos() {
  const recent = useQuery(recentChaosQuery)
  const start = useStartChaos()
  const latest = recent.data?.events[0]
  const running = start.isPending || (latest !== undefined && isOpen(latest))
  return (
    <Section title="Chaos engineering">
      <Stack gap="md">
        <Text>
          Break a running copy of this product, for real. A healer that is told nothing finds out and mends it.
        </Text>
        <div className={classes.tests}>
          {tests.map(({ type, label }) => (
            <Button
              key={type}
              variant="default"
              aria-disabled={running}
              data-disabled={running}
              onClick={() => running || start.mutate({ type, source: 'landing' })}
            >
              {running ? 'Running test...' : label}
            </Button>
          ))}
        </div>
        {!running && start.error && <StartRefused error={start.error} />}
        <Loaded query={recent} what="the latest test" loading={<Skeleton h={48} aria-busy="true" />}>
          {({ events: [event] }) => <LandingEvent event={event} />}
        </Loaded>
        <Anchor href="/chaos-monkey" underline="always">
          All tests, and how they are measured
        </Anchor>
      </Stack>
    </Section>
  )
}
