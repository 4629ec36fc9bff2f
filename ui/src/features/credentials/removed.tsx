import { Alert } from '@mantine/core'

import { IconCheck } from '@/components/icons'
import { useFocusOnMount } from '@/lib/use-focus-on-mount'

/** Explains what removing the credentials stops. It takes the focus, because the button that removed them is gone. */
export function Removed({ message }: { message: string }) {
  const ref = useFocusOnMount<HTMLDivElement>()
  return (
    <Alert ref={ref} tabIndex={-1} role="status" color="green" variant="outline" icon={<IconCheck />} mb="md">
      {message}
    </Alert>
  )
}
