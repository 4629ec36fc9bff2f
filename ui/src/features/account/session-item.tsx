import { Badge, Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'

import { errorText } from '@/api/client'
import { IconCheck, IconDevice, IconProgram } from '@/components/icons'
import { Moment } from '@/components/moment'

import classes from './account.module.css'
import { type Session, useEndSession } from './queries'

const ways: Record<Session['provider'], string> = { x: 'with X', email: 'by e-mail', dev: 'without proof (DEV_LOGIN)' }

type Props = { session: Session; onEnded: () => void }

export function SessionItem({ session, onEnded }: Props) {
  const { device, provider, scope, current } = session
  const Icon = scope === undefined ? IconDevice : IconProgram
  return (
    <li className={classes.item}>
      <Group justify="space-between" gap="sm" wrap="nowrap">
        <div className={classes.facts}>
          <Icon size={16} />
          <div>
            <Group gap="xs">
              <Text fw={600} className="wrap-anywhere">
                {device}
              </Text>
              {current && (
                <Badge variant="outline" color="green" leftSection={<IconCheck size={12} />}>
                  this one
                </Badge>
              )}
              {scope !== undefined && (
                <Badge variant="outline" color="gray">
                  for {scope} only
                </Badge>
              )}
            </Group>
            <Times session={session} way={ways[provider]} />
          </div>
        </div>
        {!current && <EndButton session={session} onEnded={onEnded} />}
      </Group>
    </li>
  )
}

function Times({ session: { scope, createdAt, seenAt, expiresAt }, way }: { session: Session; way: string }) {
  return (
    <Text size="sm" c="dimmed" className="numbers">
      {scope === undefined ? (
        <>
          Logged in {way} on <Moment at={createdAt} />, last used <Moment at={seenAt} />
        </>
      ) : (
        <>
          Made <Moment at={createdAt} />, ends <Moment at={expiresAt} />
        </>
      )}
    </Text>
  )
}

function EndButton({ session: { id, device }, onEnded }: Props) {
  const end = useEndSession(() => {
    notifications.show({ color: 'green', message: `${device} is logged out.`, withBorder: true })
    onEnded()
  })
  const send = () =>
    end.mutate(id, {
      onError: (error) =>
        notifications.show({ color: 'red', title: 'Could not end it', message: errorText(error), withBorder: true }),
    })
  return (
    <Button size="compact-sm" variant="default" aria-label={`End ${device}`} loading={end.isPending} onClick={send}>
      End
    </Button>
  )
}
