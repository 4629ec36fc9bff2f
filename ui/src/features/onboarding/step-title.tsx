import { Title } from '@mantine/core'

import { useFocusOnMount } from '@/lib/use-focus-on-mount'

/** What the step is about. It takes the focus, so that whoever does not see it hears it. */
export function StepTitle({ id, children }: { id?: string; children: string }) {
  const title = useFocusOnMount<HTMLHeadingElement>()
  return (
    <Title order={3} fz="lg" ref={title} tabIndex={-1} data-autofocus style={{ outline: 'none' }} {...(id && { id })}>
      {children}
    </Title>
  )
}
