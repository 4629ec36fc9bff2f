import { Card, SimpleGrid, Text } from '@mantine/core'

import { number, plural } from '@/lib/plural'

type Props = { total: number; engagement: number; sponsored: number; measured: number }

export function PostTotals({ total, engagement, sponsored, measured }: Props) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} mb="lg">
      <Total label="Total posts" value={total} />
      <Total
        label="Engagement"
        value={measured > 0 ? engagement : undefined}
        note={measured > 0 ? `of ${plural(measured, 'post')} measured below` : 'not measured yet'}
      />
      <Total label="Sponsored by members" value={sponsored} />
    </SimpleGrid>
  )
}

function Total({ label, value, note }: { label: string; value: number | undefined; note?: string }) {
  return (
    <Card withBorder padding="md" component="section" aria-label={label}>
      <Text size="sm" c="dimmed" fw={600}>
        {label}
      </Text>
      <Text fz={26} fw={700} lh={1.3} className="numbers">
        {value === undefined ? '–' : number(value)}{' '}
        {note !== undefined && (
          <Text span size="sm" c="dimmed" fw={400}>
            {note}
          </Text>
        )}
      </Text>
    </Card>
  )
}
