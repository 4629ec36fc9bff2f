import { Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

export function PanelPart({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <Title order={3} fz="md" mb="xs" id={id}>
        {title}
      </Title>
      {children}
    </section>
  )
}
