import { Group, Loader, Text } from '@mantine/core'
import type { ReactNode } from 'react'

import { IconCheck, IconClock, IconCross } from '@/components/icons'
import { failureOfStep } from './failure'
import { FailureAlert } from './failure-alert'
import classes from './oauth-diagnosis.module.css'
import type { Step } from './run'
import { StepFacts } from './step-facts'
import type { StepState } from './steps'

const states: Record<StepState, { label: string; icon: ReactNode }> = {
  pending: { label: 'Pending', icon: <IconClock /> },
  running: { label: 'Running…', icon: <Loader size={18} aria-hidden="true" /> },
  completed: { label: 'Completed', icon: <IconCheck /> },
  error: { label: 'Error', icon: <IconCross /> },
}

export function StepList({ steps }: { steps: Step[] }) {
  return (
    <ol className={classes.steps}>
      {steps.map((step) => (
        <StepItem key={step.id} step={step} />
      ))}
    </ol>
  )
}

function StepItem({ step }: { step: Step }) {
  const { label, icon } = states[step.state]
  return (
    <li className={classes.step} data-state={step.state}>
      <span className={classes.icon}>{icon}</span>
      <div className={classes.body}>
        <Group justify="space-between" align="baseline" gap="xs" wrap="nowrap">
          <Text fw={600}>{step.name}</Text>
          <Text size="sm" className={classes.state ?? ''}>
            {label}
          </Text>
        </Group>
        {step.state === 'error' && <FailureAlert failure={failureOfStep(step)} />}
        <StepFacts facts={step.answer?.found.details ?? []} />
      </div>
    </li>
  )
}
