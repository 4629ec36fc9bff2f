import { Button, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'

import { CodeForm } from '@/components/code-form'
import { FormError } from '@/components/form-error'

import { useRequestCode, useVerifyCode } from './queries'

export function EmailLogin({ next }: { next: string }) {
  const [email, setEmail] = useState('')
  const request = useRequestCode()
  const verify = useVerifyCode(next)
  const [sentTo, setSentTo] = useState<string | null>(null)
  const ask = (to: string) => request.mutate(to, { onSuccess: () => setSentTo(to) })

  if (sentTo !== null) {
    return (
      <CodeForm
        sent={{
          text: `If ${sentTo} is somebody's here, a code is on its way to it.`,
          at: request.submittedAt,
          again: () => ask(sentTo),
          isPending: request.isPending,
          error: request.error,
        }}
        submit={{ label: 'Log in', isPending: verify.isPending, error: <FormError error={verify.error} /> }}
        onCode={(code) => verify.mutate({ email: sentTo, code })}
        back={{
          label: 'Use another address',
          go: () => {
            verify.reset()
            setSentTo(null)
          },
        }}
      />
    )
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    const to = email.trim()
    if (to !== '' && !request.isPending) ask(to)
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="md" align="flex-start">
        <Text size="sm">We mail you a code of six digits. There is no password to remember.</Text>
        <TextInput
          type="email"
          label="E-mail address"
          required
          withAsterisk={false}
          autoComplete="email"
          maxLength={254}
          w="100%"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <FormError error={request.error} />
        <Button type="submit" loading={request.isPending}>
          Send me a code
        </Button>
      </Stack>
    </form>
  )
}
