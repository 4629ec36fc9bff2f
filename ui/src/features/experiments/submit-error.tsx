import { Alert, Text } from '@mantine/core'

import { ApiError, errorText } from '@/api/client'
import { IconWarning } from '@/components/icons'

/** Explains why an idea was not accepted. The draft is kept. */
export function SubmitError({ error }: { error: Error | null }) {
  if (error === null) return null
  const refused = error instanceof ApiError
  return (
    <Alert color="red" variant="outline" icon={<IconWarning />} title="Submission Failed">
      <Text size="sm">{refused ? reasonOf(error) : 'Failed to submit experiment. Please try again.'}</Text>
      {refused &&
        error.details.map(({ field, reason }) => (
          <Text size="sm" key={`${field} ${reason}`} className="wrap-anywhere">
            {nameOf(field)}: {reason}.
          </Text>
        ))}
    </Alert>
  )
}

// A response that is not a problem of the server, such as a proxy's page, has no request ID and no reason.
const reasonOf = (error: ApiError) => (error.requestId === '' ? 'Submission failed' : errorText(error))

/** "Title" from "body.title" */
function nameOf(field: string) {
  const name = field.replace(/^body\./, '')
  return name.charAt(0).toUpperCase() + name.slice(1)
}
