import { Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import { membersQuery } from '@/api/members'
import { useSession } from '@/api/session'
import { FoundersOnly } from '@/components/founders-only'
import { Section } from '@/components/section'

import { MemberList } from './member-list'
import { RegistryForm } from './registry-form'

export function MemberRegistry() {
  const { data } = useQuery(membersQuery)
  const { role } = useSession()
  const active = data?.members.filter((member) => member.status === 'active').length
  return (
    <Section title="Shareholder registry">
      <Stack gap="lg">
        {role === 'founder' ? <RegistryForm /> : <FoundersOnly what="add members" />}
        <div>
          <Title order={3} fz="md" mb="xs">
            Active shareholders{active !== undefined && ` (${active})`}
          </Title>
          <MemberList />
        </div>
      </Stack>
    </Section>
  )
}
