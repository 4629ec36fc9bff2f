import type { ReactNode } from 'react'

import { IconCheck, IconCross, IconQuestion, IconRun, IconWarning } from '@/components/icons'

import type { Phase } from './phase'

type Style = { label: string; color: string; icon: (props: { size?: number }) => ReactNode; about: string }

export const phaseStyle: Record<Phase, Style> = {
  healthy: { label: 'Healthy', color: 'green', icon: IconCheck, about: 'Every check of the last probe was well.' },
  chaos: {
    label: 'Chaos',
    color: 'red',
    icon: IconWarning,
    about: 'A test is under way. The healer was told nothing.',
  },
  recovering: {
    label: 'Being healed',
    color: 'orange',
    icon: IconRun,
    about: 'The healer found it broken and mends it.',
  },
  broken: { label: 'Broken', color: 'red', icon: IconCross, about: 'Checks fail, and nothing mends them right now.' },
  unseen: {
    label: 'Not seen',
    color: 'gray',
    icon: IconQuestion,
    about: 'No probe came in during the last ten seconds.',
  },
}
