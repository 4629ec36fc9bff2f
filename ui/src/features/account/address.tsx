import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useRef, useState } from 'react'

import { AddressForm } from './address-form'

/** The address for codes and emails, and a form to change it. */
export function Address({ email }: { email: string | undefined }) {
  const [changing, setChanging] = useState(false)
  const [done, setDone] = useState(false)
  const title = useRef<HTMLHeadingElement>(null)

  function close(changed: boolean) {
    setChanging(false)
    setDone(changed)
    title.current?.focus()
  }

  return (
    <Stack gap="xs">
      <Title order={3} fz="md" ref={title} tabIndex={-1}>
        E-mail address
      </Title>
      {changing ? (
        <AddressForm onDone={() => close(true)} onCancel={() => close(false)} />
      ) : (
        <Group gap="sm" justify="space-between">
          <Text className="wrap-anywhere">{email ?? 'None yet. With one, you can log in without X.'}</Text>
          <Button variant="default" size="xs" onClick={() => setChanging(true)}>
            {email === undefined ? 'Add an address' : 'Replace'}
          </Button>
        </Group>
      )}
      {done && !changing && (
        <Text size="sm" role="status">
          This address is yours now.
        </Text>
      )}
    </Stack>
  )
}
