import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'

import type { Schemas } from '@/api/client'
import { IconRetry } from '@/components/icons'
import { Loaded } from '@/components/loaded'
import { Moment } from '@/components/moment'
import { RunLink } from '@/components/run-link'
import classes from './admin.module.css'
import { ActionError } from './admin-error'
import { PanelPart } from './panel-part'
import { failedEmailsQuery, useRetryEmail } from './queries'

type Email = Schemas['FailedEmail']

/** Emails that failed permanently. Their recipients are not shown. */
export function FailedEmails() {
  const emails = useQuery(failedEmailsQuery)
  return (
    <PanelPart title="Dead emails">
      <Loaded query={emails} what="the emails" loading={<Text size="sm">Loading…</Text>}>
        {(data) => <Rows emails={data.emails} />}
      </Loaded>
    </PanelPart>
  )
}

function Rows({ emails }: { emails: Email[] }) {
  if (emails.length === 0) return <Text size="sm">None. Every e-mail arrived, or is still on its way.</Text>
  return (
    <ul className={classes.rows}>
      {emails.map((email) => (
        <Row key={email.id} email={email} />
      ))}
    </ul>
  )
}

function Row({ email }: { email: Email }) {
  const retry = useRetryEmail()
  // A promise, because the row may be unmounted by then; the reason of a failure is shown in the row.
  const send = () =>
    retry.mutateAsync(email.id).then(
      ({ message }) => notifications.show({ color: 'green', message, withBorder: true }),
      () => {},
    )
  return (
    <li className={classes.entry}>
      <Group justify="space-between" gap="sm">
        <div className={classes.words}>
          <Group gap="xs" mb={4} fz="sm" c="dimmed">
            <Moment at={email.createdAt} />
            <span>{email.kind.replaceAll('_', ' ')}</span>
            {email.runUrl !== '' && (
              <RunLink href={email.runUrl} inherit>
                Open run
              </RunLink>
            )}
          </Group>
          <Text size="sm" className="wrap-anywhere">
            {email.reason}
          </Text>
        </div>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconRetry size={14} />}
          loading={retry.isPending}
          onClick={() => void send()}
        >
          Retry
        </Button>
      </Group>
      {retry.error && <ActionError title="Could not send the email again" error={retry.error} />}
    </li>
  )
}
