import { Alert, Anchor, Button, Group, Text } from '@mantine/core'

import { ApiError, errorText } from '@/api/client'
import { xLoginPath } from '@/api/session'
import { IconRetry, IconWarning } from '@/components/icons'

const here = '/experiments'

/** Explains why the panel could not be loaded, with a way to fix it. */
export function AdminError({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <Alert color="red" variant="outline" icon={<IconWarning />} title="Failed to load admin data">
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          <Reason error={error} />
        </Text>
        {!isRefusal(error) && (
          <Button size="xs" variant="default" leftSection={<IconRetry size={14} />} onClick={onRetry}>
            Try again
          </Button>
        )}
      </Group>
    </Alert>
  )
}

function Reason({ error }: { error: Error }) {
  if (isStale(error)) {
    return (
      <>
        Your login is older than ten minutes. <LogIn>Log in with X again</LogIn>
      </>
    )
  }
  if (isRefusal(error)) {
    return (
      <>
        Only founders see this. <LogIn>Log in with X</LogIn>
      </>
    )
  }
  return errorText(error)
}

// A server route, not one of the router's.
function LogIn({ children }: { children: string }) {
  return (
    <Anchor href={xLoginPath(here)} underline="always" inherit>
      {children}
    </Anchor>
  )
}

/** Explains why an action was refused, with a link to log in again if that is the only reason. */
export function ActionError({ title, error }: { title: string; error: Error }) {
  return (
    <Alert color="red" variant="outline" icon={<IconWarning />} title={title}>
      <Text size="sm">{isStale(error) ? <Reason error={error} /> : errorText(error)}</Text>
      <Details error={error} />
    </Alert>
  )
}

function Details({ error }: { error: Error }) {
  if (!(error instanceof ApiError)) return null
  return error.details.map(({ field, reason }) => (
    <Text size="sm" key={field}>
      {fieldNames[field] ?? field}: {reason}.
    </Text>
  ))
}

const fieldNames: Record<string, string> = { 'body.clientId': 'Client id', 'body.clientSecret': 'Client secret' }

const isStale = (error: Error) => error instanceof ApiError && error.code === 'login_stale'

const isRefusal = (error: Error) => error instanceof ApiError && [401, 403, 404].includes(error.status)
