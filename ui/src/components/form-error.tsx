import { Alert } from '@mantine/core'

import { errorText } from '@/api/client'

/** Why the server said no, inside the form that asked. */
export function FormError({ error }: { error: Error | null }) {
  if (error === null) return null
  return (
    <Alert color="red" variant="outline">
      {errorText(error)}
    </Alert>
  )
}
