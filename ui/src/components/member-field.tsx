import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import { membersQuery } from '@/api/members'
import { handle } from '@/lib/handle'

type Props = { value: string; onChange: (value: string) => void }

/** The member whose slot and credit the post uses. */
export function MemberField({ value, onChange }: Props) {
  const { data } = useQuery(membersQuery)
  const active = (data?.members ?? []).filter((member) => member.status === 'active')
  return (
    <NativeSelect
      label="Sponsored by"
      description="A member's post takes one of their slots and one credit"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={[
        { value: '', label: 'Founders’ share' },
        ...active.map(({ username, current_credits: credits }) => ({
          value: username,
          label: `${handle(username)}, ${credits} credits left`,
        })),
      ]}
    />
  )
}
