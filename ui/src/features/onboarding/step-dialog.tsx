import { Button, Group, Modal, Progress, Stack, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { FormEvent, ReactNode } from 'react'

import { FormError } from '@/components/form-error'

import type { Walk } from './use-progress'

/** The last button and its action. */
export type Finish = { label: string; isPending: boolean; error: Error | null; go: () => void }

type FrameProps = { opened: boolean; onClose: () => void; title: string; children: ReactNode }

/** A dialog with steps; full screen on a phone. */
export function StepDialog({ opened, onClose, title, children }: FrameProps) {
  const phone = useMediaQuery('(max-width: 36em)', false, { getInitialValueInEffect: false })
  return (
    <Modal opened={opened} onClose={onClose} title={title} size="lg" fullScreen={phone}>
      {children}
    </Modal>
  )
}

type StepsProps = { walk: Walk; finish: Finish; children: ReactNode }

/** The current step, with navigation. No answer is required to continue. */
export function Steps({ walk, finish, children }: StepsProps) {
  const { step, steps, unsaved } = walk
  const last = step === steps

  function next(event: FormEvent) {
    event.preventDefault()
    if (!last) return walk.go(step + 1)
    walk.flush()
    if (!finish.isPending) finish.go()
  }

  return (
    <form onSubmit={next}>
      <Stack gap="lg">
        <Bar step={step} steps={steps} />
        {children}
        <div role="status">{unsaved && <NotSaved />}</div>
        {last && <FormError error={finish.error} />}
        <Group justify="space-between">
          <Button variant="default" disabled={step === 1} onClick={() => walk.go(step - 1)}>
            Previous
          </Button>
          <Button type="submit" loading={last && finish.isPending}>
            {last ? finish.label : 'Next'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function Bar({ step, steps }: { step: number; steps: number }) {
  const text = `Step ${step} of ${steps}`
  return (
    <div
      role="progressbar"
      aria-label="Progress"
      aria-valuemin={0}
      aria-valuemax={steps}
      aria-valuenow={step}
      aria-valuetext={text}
    >
      <Text size="sm" c="dimmed" mb={6} className="numbers">
        {text}
      </Text>
      <Progress value={(100 * step) / steps} size="sm" aria-hidden="true" />
    </div>
  )
}

function NotSaved() {
  return (
    <Text size="sm" c="dimmed">
      We could not save this just now. The next step tries again.
    </Text>
  )
}
