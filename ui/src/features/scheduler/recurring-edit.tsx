import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import { notifyDone } from '@/components/notify'
import { Conflict } from './posting-times-conflict'
import { useEdited } from './posting-times-edited'
import { weekText } from './posting-times-week'
import { changesOf, draftOf, type Seed } from './recurring-draft'
import { type Leaving, RecurringForm } from './recurring-form'
import { type RecurringPost, recurringPostQuery, useChangeRecurringPost } from './recurring-queries'

type Props = { recurring: RecurringPost; leaving: Leaving; onDone: () => void }

export function EditRecurring({ recurring, leaving, onDone }: Props) {
  const { data } = useQuery(recurringPostQuery(recurring.id))
  const edited = useEdited<Seed, ReturnType<typeof draftOf>>(data?.recurringPost ?? recurring, draftOf)
  const { draft, change, dirty, theirs, base } = edited
  const save = useChangeRecurringPost()
  const send = () =>
    save.mutate(
      { id: recurring.id, ...changesOf(draft, base) },
      {
        onSuccess: () => {
          notifyDone('The recurring post is saved.')
          onDone()
        },
      },
    )
  return (
    <RecurringForm
      draft={draft}
      onChange={change}
      dirty={dirty}
      leaving={leaving}
      pending={save.isPending}
      error={save.error}
      blocked={theirs !== null}
      action="Save"
      onSend={send}
      isNew={false}
    >
      {theirs && (
        <Conflict
          what="this recurring post"
          theirs={<Theirs of={theirs} />}
          onTake={() => edited.settle(theirs)}
          onKeep={edited.keepMine}
        />
      )}
    </RecurringForm>
  )
}

function Theirs({ of: { texts, times, timezone, endsOn } }: { of: Seed }) {
  return (
    <>
      <Text size="sm">
        {weekText(times)}, in {timezone}
        {endsOn !== undefined && `, until ${endsOn}`}
      </Text>
      <ol style={{ margin: '4px 0', paddingLeft: '1.25rem' }}>
        {texts.map((text) => (
          <li key={text} className="wrap-anywhere">
            {text}
          </li>
        ))}
      </ol>
    </>
  )
}
