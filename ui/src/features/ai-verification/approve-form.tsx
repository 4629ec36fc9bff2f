import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'

import { useApproveBaseline, type Verification } from '@/api/verification'
import { FormError } from '@/components/form-error'
import { notifyDone } from '@/components/notify'

import { viewKey, viewLabel, views } from './words'

type Props = { run: Verification; onDone: () => void }

/** Selects the viewports to approve, with a reason. */
export function ApproveForm({ run, onDone }: Props) {
  const seen = views.filter((view) => run.shots.some((shot) => viewKey(shot) === viewKey(view) && shot.picture))
  const [chosen, setChosen] = useState(() => seen.map(viewKey))
  const [reason, setReason] = useState('')
  const [asked, setAsked] = useState(false)
  const approve = useApproveBaseline(run.id)
  const given = reason.trim()

  function submit(event: FormEvent) {
    event.preventDefault()
    setAsked(true)
    if (approve.isPending || given === '' || chosen.length === 0) return
    const done = () => {
      notifyDone(`The look of ${run.path} is approved. The next runs are held against it.`)
      onDone()
    }
    approve.mutate({ reason: given, views: seen.filter((view) => chosen.includes(viewKey(view))) }, { onSuccess: done })
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text size="sm">
          The next runs of {run.path} are held against these pictures. Looks that were approved before are kept.
        </Text>
        <TextInput
          label="Why this is how it should look"
          description="Everybody can read it"
          required
          maxLength={200}
          value={reason}
          error={asked && given === '' && 'Give a reason.'}
          onChange={(event) => setReason(event.currentTarget.value)}
          data-autofocus
        />
        <Checkbox.Group
          label="Views"
          value={chosen}
          onChange={setChosen}
          error={asked && chosen.length === 0 && 'Choose one at least.'}
        >
          <Stack gap="xs" mt={6} mb={4}>
            {seen.map((view) => (
              <Checkbox key={viewKey(view)} value={viewKey(view)} label={viewLabel(view)} />
            ))}
          </Stack>
        </Checkbox.Group>
        <FormError error={approve.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Button type="submit" loading={approve.isPending}>
            Approve
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
