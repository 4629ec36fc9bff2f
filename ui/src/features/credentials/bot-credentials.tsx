import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Navigate, useLocation } from 'react-router'

import { ApiError, type Schemas } from '@/api/client'
import { signInPath } from '@/api/session'

import { CheckFailed } from './check-failed'
import { Connected } from './connected'
import { CredentialForm } from './credential-form'
import { credentialStatusQuery, useDisconnect } from './queries'
import { Removed } from './removed'
import { useAfterConnecting } from './use-after-connecting'

/** The bot's connection to its X account, and how to connect it. */
export function BotCredentials() {
  const status = useQuery(credentialStatusQuery)
  const { pathname } = useLocation()

  if (status.data !== undefined) return <Known status={status.data} />
  if (status.error === null || status.isFetching) return <Text role="status">Loading…</Text>
  if (isRefusal(status.error, 401)) return <Navigate to={signInPath(pathname)} replace />
  if (isRefusal(status.error, 403)) return <Text>Only founders connect the bot to its account.</Text>
  return <CheckFailed error={status.error} onRetry={() => void status.refetch()} />
}

const isRefusal = (error: Error, status: number) => error instanceof ApiError && error.status === status

// Removing and connecting are mutations of this component, because each unmounts the component that starts
// it.
function Known({ status: { credentials, waitingPosts } }: { status: Schemas['CredentialStatus'] }) {
  const after = useAfterConnecting()
  const disconnect = useDisconnect()

  function begin() {
    disconnect.reset()
    after.begin()
  }

  if (credentials === undefined) {
    return (
      <>
        {disconnect.data && <Removed message={disconnect.data.message} />}
        <CredentialForm onConnected={begin} />
      </>
    )
  }
  return (
    <Connected credentials={credentials} waitingPosts={waitingPosts} disconnect={disconnect} onAsk={after.cancel} />
  )
}
