import { Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { KeyboardEvent } from 'react'

import { Section } from '@/components/section'
import { useFocusOnMount } from '@/lib/use-focus-on-mount'

import classes from './admin.module.css'
import { AdminError } from './admin-error'
import { AuditList } from './audit-list'
import { DebugInfo } from './debug-info'
import { ErrorReports } from './error-reports'
import { FailedEmails } from './failed-emails'
import { KeysForm } from './keys-form'
import { PreviousKeys } from './previous-keys'
import { secretsQuery } from './queries'
import { SecretList } from './secret-list'

/** The founders' panel: which secrets are set, the app's keys, the audit log, error reports and failed emails. */
export function AdminPanel({ onHide }: { onHide: () => void }) {
  const panel = useFocusOnMount<HTMLDivElement>()
  return (
    // A key still held from opening the panel must not scroll the page.
    // biome-ignore lint/a11y/noStaticElementInteractions: it takes the focus, and no action
    <div ref={panel} tabIndex={-1} className={classes.panel} onKeyDown={ignoreRepeats}>
      <Section
        title="Admin panel"
        aside={
          <Button variant="default" size="sm" onClick={onHide}>
            Hide
          </Button>
        }
      >
        <Contents />
      </Section>
    </div>
  )
}

const ignoreRepeats = (event: KeyboardEvent) => {
  if (event.repeat && event.target === event.currentTarget) event.preventDefault()
}

function Contents() {
  const { data, error, isFetching, refetch } = useQuery(secretsQuery)
  if (data === undefined && error !== null && !isFetching) {
    return <AdminError error={error} onRetry={() => void refetch()} />
  }
  if (data === undefined) return <Text role="status">Loading…</Text>
  return (
    <Stack gap="xl">
      <SecretList secrets={data.secrets} missing={data.missing_secrets} />
      <KeysForm />
      {data.previous_keys && <PreviousKeys keys={data.previous_keys} />}
      <FailedEmails />
      <ErrorReports />
      <AuditList />
      <DebugInfo of={data} />
    </Stack>
  )
}
