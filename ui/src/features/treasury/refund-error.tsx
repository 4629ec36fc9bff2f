import { Alert, Anchor, Text } from '@mantine/core'

import { ApiError, errorText } from '@/api/client'
import { xLoginPath } from '@/api/session'
import { IconWarning } from '@/components/icons'

/** Explains why a refund was refused, with a link to log in again if that is the only reason. */
export function RefundError({ error }: { error: Error }) {
  return (
    <Alert color="red" variant="outline" icon={<IconWarning />} title="It was not refunded">
      <Text size="sm">
        {error instanceof ApiError && error.code === 'login_stale' ? (
          <>
            Your login is older than ten minutes. {/* A link of the server's, not of the router's. */}
            <Anchor href={xLoginPath('/treasury')} underline="always" inherit>
              Log in with X again
            </Anchor>
          </>
        ) : (
          errorText(error)
        )}
      </Text>
    </Alert>
  )
}
