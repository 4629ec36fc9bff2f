import { Box, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

export function PageHeader({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Box mb="lg">
      <title>{`${title} · Customer Zero`}</title>
      <Title order={1}>{title}</Title>
      <Text c="dimmed" maw={760} mt={4}>
        {children}
      </Text>
    </Box>
  )
}
