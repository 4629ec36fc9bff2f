import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import { membersQuery } from '@/api/members'
import { useSession } from '@/api/session'
import { MemberField } from '@/components/member-field'
import { handle } from '@/lib/handle'
import { plural } from '@/lib/plural'
import { monthName } from '@/lib/time'

import { budgetQuery } from './queries'

type Props = { value: string; onChange: (value: string) => void; month: string }

/** The member whose slot and credit the post uses: founders choose, members see their balance. */
export function Sponsor({ value, onChange, month }: Props) {
  const { role } = useSession()
  return role === 'founder' ? <MemberField value={value} onChange={onChange} /> : <OwnShare month={month} />
}

function OwnShare({ month }: { month: string }) {
  const { session } = useSession()
  const { data: budget } = useQuery(budgetQuery(month))
  const { data: list } = useQuery(membersQuery)
  const name = handle(session?.user?.username ?? '').toLowerCase()
  const me = list?.members.find(({ username }) => handle(username).toLowerCase() === name)
  return (
    <Text size="sm" className="numbers">
      It goes out in your name, and takes one of your slots and one credit.
      {budget?.mine && ` You hold ${budget.mine.held} of your ${budget.mine.allowed} slots of ${monthName(month)}.`}
      {me && ` You have ${plural(me.current_credits, 'credit')} left.`}
    </Text>
  )
}
