import { Badge, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

import type { Schemas } from '@/api/client'
import { IconPerson } from '@/components/icons'
import { Section } from '@/components/section'
import { handle } from '@/lib/handle'
import { roleName } from '@/lib/role'

import { Rename } from './rename'

type Props = { account: Schemas['Account']; children: ReactNode }

export function Profile({ account: { username, role }, children }: Props) {
  return (
    <Section title="About you">
      <Stack gap="lg">
        <Group gap="sm" justify="space-between">
          <Group gap="sm">
            <Text fw={650} size="lg" className="wrap-anywhere">
              {username === '' ? 'No name yet' : handle(username)}
            </Text>
            <Badge
              variant="outline"
              color={role === 'visitor' ? 'gray' : 'indigo'}
              leftSection={<IconPerson size={12} />}
            >
              {roleName[role]}
            </Badge>
          </Group>
          {role === 'member' && <Rename username={username} />}
        </Group>
        {children}
      </Stack>
    </Section>
  )
}
