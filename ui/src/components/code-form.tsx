import { Button, Group, Stack, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'

import { readCode } from '@/lib/login-code'
import { useFocusOnMount } from '@/lib/use-focus-on-mount'

import { AnotherCode, type Sent, SentNote } from './code-sent'

const another = 'Another code is on its way. Only the newest one works.'

type Props = {
  sent: Sent
  submit: { label: string; isPending: boolean; error: ReactNode }
  onCode: (code: string) => void
  back: { label: string; go: () => void }
}

/** The second step of every flow that emails a code: one field, a way to resend the code, and a way back. */
export function CodeForm({ sent, submit, onCode, back }: Props) {
  const [typed, setTyped] = useState('')
  const [incomplete, setIncomplete] = useState(false)
  const [again, setAgain] = useState(false)
  const field = useFocusOnMount<HTMLInputElement>()

  function send(event: FormEvent) {
    event.preventDefault()
    if (submit.isPending) return
    const code = readCode(typed)
    setIncomplete(code === null)
    if (code !== null) onCode(code)
    field.current?.focus() // for the next attempt
  }

  return (
    <form onSubmit={send}>
      <Stack gap="md">
        <SentNote text={again && !sent.isPending && sent.error === null ? another : sent.text} />
        <TextInput
          ref={field}
          label="6-digit code"
          description="It works once, within ten minutes"
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={20}
          maw={220}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          error={incomplete && 'A code has six digits.'}
        />
        {submit.error}
        <Group gap="sm">
          <Button type="submit" loading={submit.isPending}>
            {submit.label}
          </Button>
          <Button variant="default" onClick={back.go}>
            {back.label}
          </Button>
        </Group>
        <AnotherCode
          sent={sent}
          onAsk={() => {
            setAgain(true)
            sent.again()
          }}
        />
      </Stack>
    </form>
  )
}
