import { Card, Group, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

type Props = { title: string; aside?: ReactNode; children: ReactNode }

/** A titled card that is a landmark of the page. */
export function Section({ title, aside, children }: Props) {
  const id = useId()
  return (
    <Card component="section" withBorder padding="lg" aria-labelledby={id}>
      <Group justify="space-between" mb="md" gap="sm">
        <Title order={2} id={id}>
          {title}
        </Title>
        {aside}
      </Group>
      {children}
    </Card>
  )
}
