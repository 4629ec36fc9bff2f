import { Alert, Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { type FormEvent, type ReactNode, useEffect } from 'react'

import { useFocusOnMount } from '@/lib/use-focus-on-mount'
import { bodyOf, type Draft, isReady, refusalAt } from './recurring-draft'
import { RecurringFields } from './recurring-fields'
import { Preview } from './recurring-preview'
import { usePreview } from './recurring-queries'

/** The question asked before the dialog closes. */
export type Leaving = { asked: boolean; onDirty: (dirty: boolean) => void; onStay: () => void; onLeave: () => void }

type Props = {
  draft: Draft
  onChange: (part: Partial<Draft>) => void
  dirty: boolean
  leaving: Leaving
  pending: boolean
  error: Error | null
  blocked?: boolean
  action: string
  onSend: () => void
  sponsor?: ReactNode
  isNew: boolean
  children?: ReactNode
}

/** The fields of a recurring post, a preview and the buttons. */
export function RecurringForm({
  draft,
  onChange,
  dirty,
  leaving,
  pending,
  error,
  blocked,
  action,
  onSend,
  ...rest
}: Props) {
  const ready = isReady(draft)
  const preview = usePreview(ready ? bodyOf(draft) : null)
  const refusal = error ?? preview.error
  const { onDirty } = leaving
  useEffect(() => onDirty(dirty), [dirty, onDirty])

  function submit(event: FormEvent) {
    event.preventDefault()
    if (ready && dirty && !blocked && !pending) onSend()
  }

  const general = refusalAt('form', refusal)
  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        <RecurringFields draft={draft} onChange={onChange} refusal={refusal} />
        {rest.sponsor}
        {rest.isNew && (
          <Checkbox
            label="Written with AI"
            description="Our pages show it with every post"
            checked={draft.madeWithAi}
            onChange={(event) => onChange({ madeWithAi: event.currentTarget.checked })}
          />
        )}
        <Preview data={preview.data} refused={refusal !== null} timezone={draft.timezone} />
        {general !== undefined && (
          <Alert color="red" variant="outline">
            {general}
          </Alert>
        )}
        {rest.children}
        {leaving.asked ? (
          <Unsaved leaving={leaving} />
        ) : (
          <Group justify="flex-end">
            <Text size="sm" c="dimmed">
              {!ready && 'Every text and every time needs something in it.'}
            </Text>
            <Button type="submit" disabled={!ready || !dirty || blocked === true} loading={pending}>
              {action}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  )
}

function Unsaved({ leaving }: { leaving: Leaving }) {
  const stay = useFocusOnMount<HTMLButtonElement>()
  return (
    <Alert color="orange" variant="outline" title="Throw away what you wrote?">
      <Group gap="xs">
        <Button ref={stay} variant="default" onClick={leaving.onStay}>
          Keep writing
        </Button>
        <Button color="red" onClick={leaving.onLeave}>
          Throw it away
        </Button>
      </Group>
    </Alert>
  )
}
