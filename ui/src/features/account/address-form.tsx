import { Button, Group, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'

import { CodeForm } from '@/components/code-form'
import { FormError } from '@/components/form-error'
import { useFocusOnMount } from '@/lib/use-focus-on-mount'

import { useRequestAddressCode, useVerifyAddressCode } from './queries'

type Props = { onDone: () => void; onCancel: () => void }

/** An address is changed only after the code sent to it has been entered. */
export function AddressForm({ onDone, onCancel }: Props) {
  const [sentTo, setSentTo] = useState<string | null>(null)
  const request = useRequestAddressCode()
  const verify = useVerifyAddressCode()
  const ask = (to: string) => request.mutate(to, { onSuccess: () => setSentTo(to) })

  if (sentTo === null) return <AskForAddress request={request} onAsk={ask} onCancel={onCancel} />
  return (
    <CodeForm
      sent={{
        text: `We sent a code to ${sentTo}.`,
        at: request.submittedAt,
        again: () => ask(sentTo),
        isPending: request.isPending,
        error: request.error,
      }}
      submit={{ label: 'Confirm', isPending: verify.isPending, error: <FormError error={verify.error} /> }}
      onCode={(code) => verify.mutate(code, { onSuccess: onDone })}
      back={{ label: 'Cancel', go: onCancel }}
    />
  )
}

type AskProps = {
  request: { isPending: boolean; error: Error | null }
  onAsk: (email: string) => void
  onCancel: () => void
}

function AskForAddress({ request, onAsk, onCancel }: AskProps) {
  const [email, setEmail] = useState('')
  const field = useFocusOnMount<HTMLInputElement>()

  function submit(event: FormEvent) {
    event.preventDefault()
    if (email.trim() !== '' && !request.isPending) onAsk(email.trim())
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          ref={field}
          type="email"
          label="New address"
          description="We mail a code to it, to see that it is yours"
          autoComplete="email"
          maxLength={254}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <FormError error={request.error} />
        <Group gap="sm">
          <Button type="submit" disabled={email.trim() === ''} loading={request.isPending}>
            Send a code
          </Button>
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
