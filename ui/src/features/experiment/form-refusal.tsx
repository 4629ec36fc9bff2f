import { Alert, Text } from '@mantine/core'

import { errorText, type Schemas } from '@/api/client'

import { isStale } from './field-errors'

type Props = {
  /** The save; `sent` is the version that it changes. */
  of: { error: Error | null; sent: number | undefined }
  /** `rest` are the details that no field shows. */
  errors?: { rest: Schemas['Problem']['details']; isMapped: boolean }
  /** The current version. */
  now: number
}

/** Explains a refusal that no field shows. Conflicts are handled elsewhere. */
export function FormRefusal({ of: { error, sent }, errors, now }: Props) {
  if (error === null || errors?.isMapped) return null
  const rest = errors?.rest ?? []
  if (isStale(error)) {
    return sent === now ? (
      <Text role="status" size="sm">
        Somebody was faster. Looking for what they changed…
      </Text>
    ) : (
      <Alert color="orange" variant="outline" title="Someone else has changed this.">
        What you see now is the newest. Nothing of yours was saved or lost: look again, and send it once more.
      </Alert>
    )
  }
  return (
    <Alert color="red" variant="outline">
      {errorText(error)}
      {rest.length > 0 && (
        <ul style={{ margin: '4px 0 0', paddingLeft: '1.25rem' }}>
          {rest.map(({ field, reason }) => (
            <li key={`${field} ${reason}`}>{reason}</li>
          ))}
        </ul>
      )}
    </Alert>
  )
}
