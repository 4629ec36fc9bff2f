import { Alert, Button, Group, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'

import { ApiError, errorText, type Schemas } from '@/api/client'
import { CodeForm } from '@/components/code-form'
import { handle } from '@/lib/handle'
import { useFocusOnMount } from '@/lib/use-focus-on-mount'

import { useManualLogin } from './queries'

/** Login by username. The code is sent to the account's address. */
export function NameForm({ next }: { next: string }) {
  const [sentTo, setSentTo] = useState<{ username: string; text: string } | null>(null)
  const request = useManualLogin(next)
  const verify = useManualLogin(next)
  const ask = (username: string) =>
    request.mutate(
      { username },
      {
        onSuccess: ({ code, error }) => {
          if (code === 'code_sent') setSentTo({ username, text: error ?? 'Check your e-mail for a 6-digit code.' })
        },
      },
    )

  if (sentTo === null) return <AskForName request={request} onAsk={ask} />
  return (
    <CodeForm
      sent={{
        text: sentTo.text,
        at: request.submittedAt,
        again: () => ask(sentTo.username),
        isPending: request.isPending,
        error: request.error,
      }}
      submit={{ label: 'Log in', isPending: verify.isPending, error: <Failure login={verify} /> }}
      onCode={(code) => verify.mutate({ username: sentTo.username, code })}
      back={{
        label: 'Use another name',
        go: () => {
          verify.reset()
          setSentTo(null)
        },
      }}
    />
  )
}

type Login = { data: Schemas['ManualLoginReply'] | undefined; error: Error | null; isPending: boolean }

function AskForName({ request, onAsk }: { request: Login; onAsk: (username: string) => void }) {
  const [username, setUsername] = useState('')
  const field = useFocusOnMount<HTMLInputElement>()
  const empty = handle(username) === '@'

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!empty && !request.isPending) onAsk(handle(username))
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Group align="flex-end" gap="sm">
          <TextInput
            ref={field}
            label="Username"
            placeholder="@username"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={60}
            style={{ flex: '1 1 14rem' }}
            value={username}
            onChange={(event) => setUsername(event.currentTarget.value)}
            onBlur={() => empty || setUsername(handle(username))} // shown as it is sent
          />
          <Button type="submit" disabled={empty} loading={request.isPending}>
            Send me a code
          </Button>
        </Group>
        <Failure login={request} />
      </Stack>
    </form>
  )
}

function Failure({ login: { data, error } }: { login: Login }) {
  const text = failureOf(data, error)
  if (text === null) return null
  return (
    <Alert color="red" variant="outline">
      {text}
    </Alert>
  )
}

function failureOf(data: Login['data'], error: Error | null) {
  if (error !== null) return error instanceof ApiError ? errorText(error) : 'Manual login failed. Please try again.'
  if (data === undefined || data.success || data.code === 'code_sent') return null
  return data.error ?? 'Manual login failed'
}
