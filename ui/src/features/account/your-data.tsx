import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'

import type { Schemas } from '@/api/client'
import { FormError } from '@/components/form-error'
import { Section } from '@/components/section'

import { DeleteAccount } from './delete-account'
import { useExportAccount } from './deletion-queries'

type Props = { account: Schemas['Account']; onLeft: (left: Schemas['Deleted']) => void }

/** Export and deletion of the account's data. */
export function YourData({ account, onLeft }: Props) {
  return (
    <Section title="Your data">
      <Stack gap="lg">
        <Download />
        {account.role === 'founder' ? (
          <Text size="sm">Remove the handle from FOUNDERS before you delete a founder's account.</Text>
        ) : (
          <Leave account={account} onLeft={onLeft} />
        )}
      </Stack>
    </Section>
  )
}

function Download() {
  const download = useExportAccount()
  return (
    <Stack gap="xs">
      <Group gap="sm" justify="space-between">
        <Text size="sm" maw={520}>
          All that we store about you, as a JSON file. What can let somebody in is not in it.
        </Text>
        <Button variant="default" size="xs" loading={download.isPending} onClick={() => download.mutate()}>
          Download my data
        </Button>
      </Group>
      <FormError error={download.error} />
      {download.isSuccess && (
        <Text size="sm" role="status">
          Your browser has the file.
        </Text>
      )}
    </Stack>
  )
}

function Leave({ account, onLeft }: Props) {
  const [asking, setAsking] = useState(false)
  return (
    <Group gap="sm" justify="space-between">
      <Text size="sm" maw={520}>
        Delete your account, and what leads to you with it. It cannot be undone.
      </Text>
      <Button variant="outline" color="red" size="xs" onClick={() => setAsking(true)}>
        Delete my account
      </Button>
      <DeleteAccount account={account} opened={asking} onClose={() => setAsking(false)} onLeft={onLeft} />
    </Group>
  )
}
