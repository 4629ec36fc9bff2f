import { Badge } from '@mantine/core'
import type { ReactNode } from 'react'

import { IconCheck, IconClock, IconSlash } from '@/components/icons'

import type { RecurringPost } from './recurring-queries'

type Style = { label: string; color: string; icon: (props: { size?: number }) => ReactNode }

// A Record, so that a new state in openapi.yaml does not compile without an entry.
const looks: Record<RecurringPost['state'], Style> = {
  active: { label: 'Active', color: 'green', icon: IconCheck },
  paused: { label: 'Paused', color: 'orange', icon: IconClock },
  ended: { label: 'Ended', color: 'gray', icon: IconSlash },
}

export function RecurringState({ state }: Pick<RecurringPost, 'state'>) {
  const { label, color, icon: Icon } = looks[state]
  return (
    <Badge variant="outline" color={color} leftSection={<Icon size={12} />}>
      {label}
    </Badge>
  )
}
