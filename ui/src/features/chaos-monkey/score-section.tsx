import { Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import { Loaded } from '@/components/loaded'
import { Section } from '@/components/section'
import { plural } from '@/lib/plural'
import { utcDay } from '@/lib/time'

import { Badges } from './badges'
import { FaultTable } from './fault-table'
import { HealPlot } from './heal-plot'
import { type Score, scoreQuery } from './queries'

/** The healing statistics of the last 30 days. */
export function ScoreSection() {
  const score = useQuery(scoreQuery)
  return (
    <Section title="How well it heals">
      <Loaded query={score} what="the score" loading={<Skeleton h={240} aria-busy="true" />}>
        {(counted) => (
          <Stack gap="lg">
            <Total of={counted} />
            <HealPlot faults={counted.faults} />
            <FaultTable faults={counted.faults} />
            <Badges />
          </Stack>
        )}
      </Loaded>
    </Section>
  )
}

function Total({ of: { score, formula, runs, since } }: { of: Score }) {
  return (
    <div>
      <Text fz={40} fw={700} lh={1.1} className="numbers">
        {score === undefined ? 'No score yet' : `${Number(score.toFixed(1))} of 100`}
      </Text>
      <Text size="sm" className="numbers">
        {score === undefined
          ? 'There is one as soon as a test has come to a verdict.'
          : `From ${plural(runs, 'run')} since ${utcDay(since)}.`}
      </Text>
      <Text size="sm" c="dimmed" mt={4}>
        How it is worked out: {formula}
      </Text>
    </div>
  )
}
