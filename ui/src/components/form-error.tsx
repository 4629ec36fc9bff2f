import { Alert } from '@mantine/core'

import { errorText } from '@/api/client'

/** The error of a form, shown inside it. */
export function FormError({ error }: { error: Error | null }) {
  if (error === null) return null
  return (
    <Alert color="red" variant="outline">
      {errorText(error)}
    </Alert>
  )
}
