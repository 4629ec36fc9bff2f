import { Badge, Card, Group, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = { label: string; value: string; of?: string; sample: boolean; bar: ReactNode; children: ReactNode }

const dashed = { borderStyle: 'dashed' }

/** A value of the month. A sample is muted and labeled, and shows no details. */
export function StatCard({ label, value, of, sample, bar, children }: Props) {
  return (
    <Card withBorder padding="lg" component="section" aria-label={label} {...(sample && { style: dashed })}>
      <Group justify="space-between" mb={4}>
        <Text size="sm" fw={600} c="dimmed">
          {label}
        </Text>
        {sample && (
          <Badge variant="outline" color="gray">
            sample
          </Badge>
        )}
      </Group>
      <Text fz={30} fw={700} lh={1.2} mb="sm" className="numbers" data-moving {...(sample && { c: 'dimmed' })}>
        {value}
        {of !== undefined && (
          <Text span c="dimmed" fw={500} fz="md">
            {' '}
            {of}
          </Text>
        )}
      </Text>
      {bar}
      {!sample && (
        <Stack gap={2} mt="sm" fz="sm" c="dimmed" className="numbers" data-moving>
          {children}
        </Stack>
      )}
    </Card>
  )
}

export function StatCardSkeleton({ label }: { label: string }) {
  return (
    <Card withBorder padding="lg" component="section" aria-label={label} aria-busy="true">
      <VisuallyHidden>Loading…</VisuallyHidden>
      <Text size="sm" fw={600} c="dimmed" mb={8} aria-hidden="true">
        {label}
      </Text>
      <Skeleton h={32} w="50%" mb="md" />
      <Skeleton h={12} mb="md" />
      <Skeleton h={14} w="80%" />
    </Card>
  )
}
