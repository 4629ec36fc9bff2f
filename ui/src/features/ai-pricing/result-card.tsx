import { Card, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

export function ResultCard({ title, big, children }: { title: string; big: string; children: ReactNode }) {
  return (
    <Card withBorder padding="lg">
      <Title order={3} fz="md" mb={6}>
        {title}
      </Title>
      <Text fz={30} fw={700} lh={1.2} mb="sm" className="numbers">
        {big}
      </Text>
      <Stack gap="sm">{children}</Stack>
    </Card>
  )
}
