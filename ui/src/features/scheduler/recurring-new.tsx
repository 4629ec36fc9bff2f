import { Text } from '@mantine/core'

import { useSession } from '@/api/session'
import { MemberField } from '@/components/member-field'
import { notifyDone } from '@/components/notify'
import { useEdited } from './posting-times-edited'
import { blank, bodyOf, draftOf } from './recurring-draft'
import { type Leaving, RecurringForm } from './recurring-form'
import { useCreateRecurringPost } from './recurring-queries'

type Props = { timezone: string; leaving: Leaving; onDone: () => void }

export function NewRecurringPost({ timezone, leaving, onDone }: Props) {
  const { draft, change, dirty } = useEdited(blank(timezone), draftOf)
  const { role } = useSession()
  const create = useCreateRecurringPost()
  const send = () =>
    create.mutate(bodyOf(draft), {
      onSuccess: () => {
        notifyDone('The recurring post is made. Its next post holds its slot.')
        onDone()
      },
    })
  return (
    <RecurringForm
      draft={draft}
      onChange={change}
      dirty={dirty}
      leaving={leaving}
      pending={create.isPending}
      error={create.error}
      action="Let it recur"
      onSend={send}
      isNew
      sponsor={
        role === 'founder' ? (
          <MemberField value={draft.member} onChange={(member) => change({ member })} />
        ) : (
          <Text size="sm">Its posts go out in your name. Each takes one of your slots and one credit.</Text>
        )
      }
    />
  )
}
