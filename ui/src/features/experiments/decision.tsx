import { Button, Group, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'

import { type Experiment, useMoveExperiment } from '@/api/experiments'
import { FormError } from '@/components/form-error'
import { notifyDone } from '@/components/notify'

import { focusList } from './focus-list'

const longestReason = 300

/** A founder's decision on an idea: approve it, or decline it with a reason. */
export function Decision({ experiment }: { experiment: Experiment }) {
  const [declining, setDeclining] = useState(false)
  const move = useMoveExperiment()
  const { slug, version, title } = experiment

  function decide(to: 'planning' | 'declined', reason?: string) {
    if (move.isPending) return
    move.mutate(
      { slug, version, to, ...(reason !== undefined && { reason }) },
      {
        onSuccess: () => {
          notifyDone(to === 'planning' ? `“${title}” is public now.` : `“${title}” is declined.`)
          focusList()
        },
      },
    )
  }

  return (
    <Stack gap="sm">
      {declining ? (
        <Decline
          loading={move.isPending}
          onDecline={(reason) => decide('declined', reason)}
          onBack={() => setDeclining(false)}
        />
      ) : (
        <Group gap="sm" role="group" aria-label={`Decide on ${title}`}>
          <Button size="xs" loading={move.isPending} onClick={() => decide('planning')}>
            Approve
          </Button>
          <Button size="xs" variant="default" onClick={() => setDeclining(true)}>
            Decline
          </Button>
        </Group>
      )}
      <FormError error={move.error} />
    </Stack>
  )
}

type DeclineProps = { loading: boolean; onDecline: (reason: string) => void; onBack: () => void }

function Decline({ loading, onDecline, onBack }: DeclineProps) {
  const [reason, setReason] = useState('')
  const told = reason.trim()

  function submit(event: FormEvent) {
    event.preventDefault()
    if (told !== '') onDecline(told)
  }

  return (
    <form onSubmit={submit}>
      <Group align="flex-end" gap="sm">
        <TextInput
          label="Why not"
          description="Everybody can read it"
          maxLength={longestReason}
          style={{ flex: '1 1 16rem' }}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          ref={focusOnce}
        />
        <Button type="submit" color="red" disabled={told === ''} loading={loading}>
          Decline
        </Button>
        <Button variant="default" onClick={onBack}>
          Back
        </Button>
      </Group>
    </form>
  )
}

// The button that opened it is gone.
const focusOnce = (field: HTMLInputElement | null) => field?.focus()
