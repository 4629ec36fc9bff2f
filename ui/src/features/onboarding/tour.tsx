import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import { botStatusQuery } from '@/api/bot-status'

import type { Progress } from './queries'
import { type Finish, StepDialog, Steps } from './step-dialog'
import { StepTitle } from './step-title'
import { tourSteps } from './tour-steps'
import { useProgress } from './use-progress'

type Props = {
  memberId: string
  credits: number | undefined
  reward: number
  start: Progress
  finish: Omit<Finish, 'label'>
}

type DialogProps = Props & { opened: boolean; onClose: () => void }

/** The welcome tour for new members, in four steps. */
export function TourDialog({ opened, onClose, ...props }: DialogProps) {
  return (
    <StepDialog opened={opened} onClose={onClose} title="Welcome tour">
      <Tour {...props} />
    </StepDialog>
  )
}

function Tour({ memberId, credits, reward, start, finish }: Props) {
  const { data: bot } = useQuery(botStatusQuery)
  const walk = useProgress('tour', memberId, start, tourSteps.length)
  const step = tourSteps[walk.step - 1]
  if (step === undefined) return null
  return (
    <Steps walk={walk} finish={{ ...finish, label: 'Start Building!' }}>
      <Stack key={walk.step} gap="sm" mih={220}>
        <StepTitle>{step.title}</StepTitle>
        <step.Words credits={credits} reward={reward} bot={bot} />
      </Stack>
    </Steps>
  )
}
