import { Anchor, Button, Checkbox, Group, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useRef, useState } from 'react'
import { Link } from 'react-router'

import { Section } from '@/components/section'
import { fieldValue } from '@/lib/field-value'

import { FormOutcome } from './form-outcome'
import { type Tokens, useConnect } from './queries'
import { SandboxHint } from './sandbox-hint'

/** Takes the tokens of the bot's account. The fields keep them until X has accepted them; nothing else stores them. */
export function CredentialForm({ onConnected }: { onConnected: () => void }) {
  const form = useRef<HTMLFormElement>(null)
  const [complete, setComplete] = useState(false)
  const [shown, setShown] = useState(false)
  const connect = useConnect()
  const valid = connect.data?.valid === true
  const closed = connect.isPending || valid

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!complete || closed) return
    connect.mutate(() => tokensIn(form.current), { onSuccess: (reply) => reply.valid && accepted(), onSettled: again })
  }

  function accepted() {
    form.current?.reset()
    onConnected()
  }

  // The button was disabled during the request and has lost the focus.
  const again = () => form.current?.querySelector('input')?.focus()

  return (
    <Section title="Connect the bot to its X account">
      <form
        ref={form}
        onSubmit={submit}
        onInput={() => setComplete(isComplete(tokensIn(form.current)))}
        autoComplete="off"
      >
        <Stack gap="md" maw={520}>
          <SandboxHint />
          <Token name="accessToken" label="Access token" shown={shown} closed={closed} />
          <Token name="accessTokenSecret" label="Access token secret" shown={shown} closed={closed} />
          <Checkbox
            label="Show credentials"
            checked={shown}
            onChange={(event) => setShown(event.currentTarget.checked)}
          />
          <FormOutcome connect={connect} />
          <Group gap="md">
            <Button type="submit" disabled={!complete || valid} loading={connect.isPending}>
              Connect
            </Button>
            {!valid && (
              <Anchor component={Link} to="/dashboard" size="sm" underline="always">
                Skip for now
              </Anchor>
            )}
          </Group>
        </Stack>
      </form>
    </Section>
  )
}

type TokenProps = { name: keyof Tokens; label: string; shown: boolean; closed: boolean }

function Token({ name, label, shown, closed }: TokenProps) {
  return (
    <TextInput
      name={name}
      label={label}
      type={shown ? 'text' : 'password'}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      readOnly={closed} // not disabled, because that would lose the focus
    />
  )
}

const tokensIn = (form: HTMLFormElement | null): Tokens => ({
  accessToken: fieldValue(form, 'accessToken'),
  accessTokenSecret: fieldValue(form, 'accessTokenSecret'),
})

const isComplete = (tokens: Tokens) => tokens.accessToken !== '' && tokens.accessTokenSecret !== ''
