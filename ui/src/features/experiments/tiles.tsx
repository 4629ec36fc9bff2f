import { Anchor, Card, SimpleGrid, Text, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

import type { ExperimentTotals } from '@/api/experiments'
import { number } from '@/lib/plural'

/** Totals of the lab; dashes while they cannot be loaded, because samples feed no total. */
export function Tiles({ totals }: { totals: ExperimentTotals | undefined }) {
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md" mb="lg">
      <Tile label="Active Experiments" value={totals?.experiments}>
        {totals && `${number(totals.running)} running of ${number(totals.experiments)}`}
      </Tile>
      <Tile label="Completed" value={totals?.completed}>
        {totals && 'completed or shipped'}
      </Tile>
      <Tile label="Total Votes" value={totals?.votes}>
        {totals && 'up and down'}
      </Tile>
      <Card withBorder padding="md" component="section" aria-label="Membership">
        <Anchor component={Link} to="/pricing" c="inherit" underline="hover">
          <Text span fz={26} fw={700} lh={1.3} display="block" className="numbers">
            $9
          </Text>
          <Text span size="sm" fw={600} display="block">
            Join to Vote
          </Text>
        </Anchor>
        <Text size="sm" c="dimmed">
          once, no recurring charges
        </Text>
      </Card>
    </SimpleGrid>
  )
}

function Tile({ label, value, children }: { label: string; value: number | undefined; children: ReactNode }) {
  return (
    <Card withBorder padding="md" component="section" aria-label={label}>
      <Text fz={26} fw={700} lh={1.3} className="numbers" data-moving>
        {value === undefined ? <Unknown /> : number(value)}
      </Text>
      <Text size="sm" fw={600}>
        {label}
      </Text>
      <Text size="sm" c="dimmed" className="numbers" data-moving>
        {children}
      </Text>
    </Card>
  )
}

function Unknown() {
  return (
    <>
      <span aria-hidden="true">–</span>
      <VisuallyHidden>not known</VisuallyHidden>
    </>
  )
}
