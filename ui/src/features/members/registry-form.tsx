import { Button, Group, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'

import { handle } from '@/lib/handle'

import { useAddMember } from './queries'
import { RegistryResult } from './registry-result'

export function RegistryForm() {
  const [username, setUsername] = useState('')
  const [email, setEmail] = useState('')
  const add = useAddMember()

  function submit(event: FormEvent) {
    event.preventDefault()
    const name = handle(username)
    if (name === '@' || add.isPending) return // nothing entered, nothing sent
    const address = email.trim()
    add.mutate(
      { username: name, ...(address !== '' && { email: address }) },
      {
        onSuccess: () => {
          setUsername('')
          setEmail('')
        },
      },
    )
  }

  return (
    <form onSubmit={submit} aria-label="Add a shareholder">
      <Group align="flex-end" gap="sm" mb="xs">
        <TextInput
          label="X username"
          description="Enter it without the @"
          placeholder="username"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={username}
          onChange={(event) => setUsername(event.currentTarget.value)}
          style={{ flex: '1 1 14rem' }}
        />
        <TextInput
          type="email"
          label="E-mail address (optional)"
          description="A welcome email with a login link goes there"
          placeholder="name@example.com"
          autoComplete="off"
          maxLength={254}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          style={{ flex: '1 1 18rem' }}
        />
        <Button type="submit" loading={add.isPending}>
          Add member
        </Button>
      </Group>
      <RegistryResult result={add} />
    </form>
  )
}
