import { Title } from '@mantine/core'

import { useFocusOnMount } from '@/lib/use-focus-on-mount'

/** The title of a step. It takes the focus, so that screen readers announce the step. */
export function StepTitle({ id, children }: { id?: string; children: string }) {
  const title = useFocusOnMount<HTMLHeadingElement>()
  return (
    <Title order={3} fz="lg" ref={title} tabIndex={-1} data-autofocus style={{ outline: 'none' }} {...(id && { id })}>
      {children}
    </Title>
  )
}
