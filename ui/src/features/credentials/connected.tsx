import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link } from 'react-router'

import type { Schemas } from '@/api/client'
import facts from '@/components/facts.module.css'
import { IconCheck } from '@/components/icons'
import { Moment } from '@/components/moment'
import { RunLink } from '@/components/run-link'
import { Section } from '@/components/section'
import { handle } from '@/lib/handle'

import { ConfirmRemoval } from './confirm-removal'
import classes from './credentials.module.css'
import type { Disconnect } from './queries'

type Props = {
  credentials: Schemas['BotCredentials']
  waitingPosts: number
  disconnect: Disconnect
  onAsk: () => void
}

export function Connected({ credentials, waitingPosts, disconnect, onAsk }: Props) {
  const [asking, { open, close }] = useDisclosure(false)
  function ask() {
    onAsk()
    disconnect.reset()
    open()
  }
  return (
    <Section title="The bot is connected">
      <Stack gap="md">
        <Group gap="xs" className={classes.connected ?? ''}>
          <IconCheck />
          <Text fw={650} className="wrap-anywhere">
            Connected as {handle(credentials.username)}
          </Text>
        </Group>
        <Facts of={credentials} />
        <Group gap="sm">
          <Button component={Link} to="/dashboard">
            Go to Dashboard
          </Button>
          <Button variant="default" onClick={ask}>
            Remove
          </Button>
        </Group>
      </Stack>
      <Modal opened={asking} onClose={close} title="Remove the credentials?">
        <ConfirmRemoval waitingPosts={waitingPosts} disconnect={disconnect} onKeep={close} />
      </Modal>
    </Section>
  )
}

function Facts({ of: { createdAt, fingerprint, configured, runUrl } }: { of: Schemas['BotCredentials'] }) {
  return (
    <dl className={facts.facts}>
      <dt>Connected</dt>
      <dd>
        <Moment at={createdAt} />
        {configured && ', from the configuration'}
      </dd>
      <dt>Fingerprint</dt>
      <dd>{fingerprint}</dd>
      {runUrl !== '' && (
        <>
          <dt>Run</dt>
          <dd>
            <RunLink href={runUrl}>Open the run that asked X</RunLink>
          </dd>
        </>
      )}
    </dl>
  )
}
