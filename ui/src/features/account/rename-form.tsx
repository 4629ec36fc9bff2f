import { Button, Group, Stack, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { type FormEvent, useState } from 'react'

import { FormError } from '@/components/form-error'
import { handle } from '@/lib/handle'
import { useFocusOnMount } from '@/lib/use-focus-on-mount'

import { useSetUsername } from './queries'

export function RenameForm({ onDone }: { onDone: () => void }) {
  const [typed, setTyped] = useState('')
  const field = useFocusOnMount<HTMLInputElement>()
  const set = useSetUsername()

  function submit(event: FormEvent) {
    event.preventDefault()
    if (typed.trim() === '' || set.isPending) return
    set.mutate(typed.trim(), {
      onSuccess: ({ username }) => {
        notifications.show({ color: 'green', message: `You are ${handle(username)} now.`, withBorder: true })
        onDone()
      },
    })
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          ref={field}
          label="New name"
          description="As on X, without @. Your posts and the registry show it."
          autoComplete="nickname"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={40}
          maw={320}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <FormError error={set.error} />
        <Group gap="sm">
          <Button type="submit" disabled={typed.trim() === ''} loading={set.isPending}>
            Save
          </Button>
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
