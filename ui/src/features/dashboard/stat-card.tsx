import { Card, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = { label: string; value: string; of?: string; bar: ReactNode; children: ReactNode }

/** A value of the month. */
export function StatCard({ label, value, of, bar, children }: Props) {
  return (
    <Card withBorder padding="lg" component="section" aria-label={label}>
      <Text size="sm" fw={600} c="dimmed" mb={4}>
        {label}
      </Text>
      <Text fz={30} fw={700} lh={1.2} mb="sm" className="numbers" data-moving>
        {value}
        {of !== undefined && (
          <Text span c="dimmed" fw={500} fz="md">
            {' '}
            {of}
          </Text>
        )}
      </Text>
      {bar}
      <Stack gap={2} mt="sm" fz="sm" c="dimmed" className="numbers" data-moving>
        {children}
      </Stack>
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
