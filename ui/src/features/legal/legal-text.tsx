import { Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

import { LegalDate } from './legal-date'

/** A legal page: the text as it was agreed to, and dated amendments below it. */
export function LegalText({ original, children }: { original: ReactNode; children: ReactNode }) {
  return (
    <Stack gap="xl" maw={760}>
      <Stack gap="lg">
        <Text c="dimmed">
          Last updated: <LegalDate day="2025-06-19" />
        </Text>
        {original}
      </Stack>
      {children}
    </Stack>
  )
}

export function Clause({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <Title order={2} id={id} mb="xs">
        {title}
      </Title>
      <Stack gap="xs">{children}</Stack>
    </section>
  )
}

/** A dated amendment. The original text stays unchanged. */
export function Amendment({ day, children }: { day: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <Title order={2} id={id} mb="md">
        Amendments of <LegalDate day={day} />
      </Title>
      <Stack gap="lg">{children}</Stack>
    </section>
  )
}

export function Addition({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <Title order={3} size="h4" id={id} mb="xs">
        {title}
      </Title>
      <Stack gap="xs">{children}</Stack>
    </section>
  )
}
