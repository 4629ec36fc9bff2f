import type { ReactNode } from 'react'

import type { Experiment, ExperimentStatus } from '@/api/experiments'
import {
  IconCheck,
  IconClock,
  IconCross,
  IconPen,
  IconQuestion,
  IconRun,
  IconSend,
  IconSlash,
} from '@/components/icons'

type Style = { label: string; color: string; icon: (props: { size?: number }) => ReactNode }

// A Record, so that a new status or verdict in openapi.yaml does not compile without an entry.
export const experimentStyle: Record<ExperimentStatus, Style> = {
  waiting: { label: 'Waiting for approval', color: 'orange', icon: IconClock },
  planning: { label: 'Planning', color: 'gray', icon: IconPen },
  active: { label: 'Active', color: 'blue', icon: IconRun },
  testing: { label: 'Testing', color: 'violet', icon: IconQuestion },
  completed: { label: 'Completed', color: 'green', icon: IconCheck },
  shipped: { label: 'Shipped', color: 'indigo', icon: IconSend },
  declined: { label: 'Declined', color: 'red', icon: IconSlash },
}

export const experimentStatuses = Object.keys(experimentStyle) as ExperimentStatus[]

/** The verdict of a measured experiment; the empty key means no verdict yet. */
export const verdictStyle: Record<Experiment['verdict'], Style> = {
  '': { label: 'Measured, no verdict yet', color: 'gray', icon: IconClock },
  met: { label: 'Target met', color: 'green', icon: IconCheck },
  missed: { label: 'Target missed', color: 'red', icon: IconCross },
  unmeasured: { label: 'Nothing to measure', color: 'gray', icon: IconQuestion },
  abandoned: { label: 'Given up before its date', color: 'gray', icon: IconSlash },
}
