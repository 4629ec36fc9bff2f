import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { getHotkeyHandler } from '@mantine/hooks'
import { type FormEvent, type ReactNode, useEffect } from 'react'

import { useFocusOnMount } from '@/lib/use-focus-on-mount'

import type { KeptDraft } from './composer-draft'

/** The question asked before the dialog closes. */
export type Leaving = { asked: boolean; onStay: () => void; onLeave: () => void }

type Props = { draft: KeptDraft; leaving: Leaving; onSend: () => void; buttons: ReactNode; children: ReactNode }

/** The fields and buttons; Ctrl+Enter or Cmd+Enter sends. */
export function ComposerForm({ draft, leaving, onSend, buttons, children }: Props) {
  function submit(event: FormEvent) {
    event.preventDefault()
    onSend()
  }
  const onKeyDown = getHotkeyHandler([['mod+Enter', onSend]])

  return (
    <form onSubmit={submit} onKeyDown={onKeyDown}>
      <Stack gap="md">
        {draft.restored && <Restored onStartOver={draft.startOver} />}
        {children}
        {leaving.asked ? <Unsaved draft={draft} leaving={leaving} /> : <Group justify="flex-end">{buttons}</Group>}
      </Stack>
    </form>
  )
}

function Restored({ onStartOver }: { onStartOver: () => void }) {
  return (
    <Group gap="xs" justify="space-between" role="status">
      <Text size="sm" c="dimmed">
        Here is what you had not sent yet.
      </Text>
      <Button size="compact-sm" variant="subtle" onClick={onStartOver}>
        Start over
      </Button>
    </Group>
  )
}

function Unsaved({ draft, leaving }: { draft: KeptDraft; leaving: Leaving }) {
  const stay = useFocusOnMount<HTMLButtonElement>()
  useEffect(() => {
    const text = stay.current?.closest('form')?.querySelector<HTMLElement>('[data-autofocus]')
    return () => text?.focus() // return to the text
  }, [stay])
  function discard() {
    draft.forget()
    leaving.onLeave()
  }
  return (
    <Alert color="orange" variant="outline" title="Throw away what you wrote?">
      <Group gap="xs">
        <Button ref={stay} variant="default" onClick={leaving.onStay}>
          Keep writing
        </Button>
        <Button color="red" onClick={discard}>
          Throw it away
        </Button>
      </Group>
    </Alert>
  )
}
