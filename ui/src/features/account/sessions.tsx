import { Button, Text } from '@mantine/core'
import { useState } from 'react'

import { Section } from '@/components/section'

import { EndEverywhere } from './end-everywhere'
import type { Session } from './queries'
import { SessionList } from './session-list'

export function Sessions({ sessions }: { sessions: Session[] }) {
  const [asking, setAsking] = useState(false)
  return (
    <Section
      title="Where you are logged in"
      aside={
        <Button size="xs" variant="default" onClick={() => setAsking(true)}>
          Log out everywhere
        </Button>
      }
    >
      <Text size="sm" c="dimmed" mb="sm">
        What you end here is logged out at once. It cannot be undone; whoever it was has to log in again.
      </Text>
      <SessionList sessions={sessions} name="Sessions" />
      <EndEverywhere opened={asking} onClose={() => setAsking(false)} />
    </Section>
  )
}
