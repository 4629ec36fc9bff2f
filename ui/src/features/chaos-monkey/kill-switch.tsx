import { Button, Text } from '@mantine/core'
import { useState } from 'react'

import { useSession } from '@/api/session'
import { IconPause, IconPlay } from '@/components/icons'
import { Section } from '@/components/section'

import type { Cell } from './queries'
import { SwitchDialog } from './switch-dialog'

/** The founders' kill switch; renders nothing for other callers. */
export function KillSwitch({ of: { on } }: { of: Cell['switch'] }) {
  const { role } = useSession()
  const [asked, setAsked] = useState<boolean>()
  const [asking, setAsking] = useState(false)
  if (role !== 'founder') return null
  const ask = () => {
    setAsked(!on)
    setAsking(true)
  }
  return (
    <Section
      title="Kill switch"
      aside={
        <Button
          size="sm"
          variant="default"
          leftSection={on ? <IconPause size={16} /> : <IconPlay size={16} />}
          onClick={ask}
        >
          {on ? 'Turn chaos off' : 'Turn chaos on'}
        </Button>
      }
    >
      <Text size="sm">
        {on
          ? 'Chaos is on: everybody may start a test. Only founders see this.'
          : 'Chaos is off: nobody may start a test, and the game day is left out. Only founders see this.'}
      </Text>
      <SwitchDialog on={asked ?? false} opened={asking} onClose={() => setAsking(false)} />
    </Section>
  )
}
