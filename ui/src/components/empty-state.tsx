import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

export function EmptyState({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack gap={4} align="center" ta="center" py="xl" px="md">
      <Text fw={650}>{title}</Text>
      <Text c="dimmed" size="sm" component="div">
        {children}
      </Text>
    </Stack>
  )
}
