import { Alert, Button, PasswordInput, Stack, Text } from '@mantine/core'
import { type FormEvent, useRef, useState } from 'react'

import type { Schemas } from '@/api/client'
import { IconCheck, IconWarning } from '@/components/icons'
import { RunLink } from '@/components/run-link'
import { fieldValue } from '@/lib/field-value'

import { ActionError } from './admin-error'
import { PanelPart } from './panel-part'
import { useReplaceKeys } from './queries'

type Keys = Schemas['NewProviderKeys']

/** A form for new keys of the X app. The page drops them once they are accepted. */
export function KeysForm() {
  const form = useRef<HTMLFormElement>(null)
  const [complete, setComplete] = useState(false)
  const replace = useReplaceKeys()

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!complete || replace.isPending) return
    replace.mutate(() => keysIn(form.current), {
      onSuccess: ({ success }) => {
        if (!success) return
        form.current?.reset()
        setComplete(false)
      },
    })
  }

  return (
    <PanelPart title="The app's keys at X">
      <form
        ref={form}
        onSubmit={submit}
        onInput={() => setComplete(isComplete(keysIn(form.current)))}
        autoComplete="off"
      >
        <Stack gap="sm" maw={520}>
          <Text size="sm" c="dimmed">
            The login test tries them before they replace the old ones. That takes some seconds.
          </Text>
          <Secret name="clientId" label="Client id" description="X calls it the API key" />
          <Secret name="clientSecret" label="Client secret" description="X calls it the API key secret" />
          {replace.error && <ActionError title="Failed to update X credentials" error={replace.error} />}
          {replace.data && <Outcome of={replace.data} />}
          <Button type="submit" disabled={!complete} loading={replace.isPending}>
            Update X credentials
          </Button>
        </Stack>
      </form>
    </PanelPart>
  )
}

function Secret({ name, label, description }: { name: keyof Keys; label: string; description: string }) {
  return (
    <PasswordInput
      name={name}
      label={label}
      description={description}
      autoComplete="off"
      visibilityToggleButtonProps={{ tabIndex: 0, 'aria-label': `Show the ${label.toLowerCase()}` }}
    />
  )
}

function Outcome({ of: { success, error, runUrl } }: { of: Schemas['ProviderKeysReply'] }) {
  return (
    <Alert
      role={success ? 'status' : 'alert'}
      color={success ? 'green' : 'red'}
      variant="outline"
      icon={success ? <IconCheck /> : <IconWarning />}
      title={success ? 'X credentials updated successfully!' : 'Failed to update X credentials'}
    >
      {!success && (
        <Text size="sm" className="wrap-anywhere">
          {error || 'Failed to update credentials'}
        </Text>
      )}
      {runUrl !== '' && (
        <RunLink href={runUrl} size="sm">
          Open the run
        </RunLink>
      )}
    </Alert>
  )
}

const keysIn = (form: HTMLFormElement | null): Keys => ({
  clientId: fieldValue(form, 'clientId'),
  clientSecret: fieldValue(form, 'clientSecret'),
})

const isComplete = ({ clientId, clientSecret }: Keys) => clientId !== '' && clientSecret !== ''
