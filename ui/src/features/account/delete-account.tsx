import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'

import { ApiError, type Schemas } from '@/api/client'
import { FormError } from '@/components/form-error'
import { handle } from '@/lib/handle'

import { DeletionLists } from './deletion-lists-shown'
import { useDeleteAccount } from './deletion-queries'
import { LogInAgain } from './log-in-again'

type Props = {
  account: Schemas['Account']
  onLeft: (left: Schemas['Deleted']) => void
  opened: boolean
  onClose: () => void
}

export function DeleteAccount({ opened, onClose, ...rest }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title="Delete my account?" size="lg">
      <Confirm onClose={onClose} {...rest} />
    </Modal>
  )
}

/** Users without a username confirm with their address. */
const nameOf = ({ username, email }: Schemas['Account']) => (username === '' ? (email ?? '') : handle(username))

const bare = (name: string) => name.trim().replace(/^@/, '').toLowerCase()

function Confirm({ account, onLeft, onClose }: Omit<Props, 'opened'>) {
  const [typed, setTyped] = useState('')
  const leave = useDeleteAccount(onLeft)
  const name = nameOf(account)
  const matches = name !== '' && bare(typed) === bare(name)

  function submit(event: FormEvent) {
    event.preventDefault()
    if (matches && !leave.isPending) leave.mutate(typed.trim())
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <DeletionLists />
        {account.memberId !== undefined && (
          <Alert variant="outline" color="orange" title="The fee is not paid back">
            If you want that, ask for a refund first: once your account is deleted, nobody can tell that it was you who
            paid.
          </Alert>
        )}
        <TextInput
          label={`Type ${name} to confirm`}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={60}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Refusal error={leave.error} />
        <Text size="sm" c="dimmed">
          You are logged out everywhere at once. A last e-mail says when it is done.
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Keep my account
          </Button>
          <Button type="submit" color="red" disabled={!matches} loading={leave.isPending}>
            Delete my account
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function Refusal({ error }: { error: Error | null }) {
  return error instanceof ApiError && error.code === 'login_stale' ? <LogInAgain /> : <FormError error={error} />
}
