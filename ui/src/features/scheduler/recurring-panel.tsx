import { Button, Stack } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { useMay } from '@/api/use-may'
import { CardSkeletons } from '@/components/card-skeletons'
import { EmptyState } from '@/components/empty-state'
import { MembersOnly } from '@/components/founders-only'
import { IconPlus } from '@/components/icons'
import { Loaded } from '@/components/loaded'
import { Section } from '@/components/section'

import classes from './recurring.module.css'
import { RecurringPostDetails } from './recurring-details'
import { type Dialog, RecurringDialogs } from './recurring-dialogs'
import { RecurringItem } from './recurring-item'
import { joinPages, type RecurringPost, recurringPostsQuery } from './recurring-queries'

/** Recurring posts with their actions. Times are in the page's zone. */
export function RecurringPanel({ timezone }: { timezone: string }) {
  const list = useInfiniteQuery(recurringPostsQuery)
  // State of the list and not of an item, because an item may leave the list while its dialog is open.
  const [dialog, setDialog] = useState<Dialog | null>(null)
  const may = useMay()
  return (
    <Section title="Recurring posts" aside={may.write && <NewButton onClick={() => setDialog({ kind: 'new' })} />}>
      <Stack gap="md">
        <MembersOnly what="make, change or end recurring posts" />
        <div>
          <Loaded query={list} what="the recurring post" loading={<CardSkeletons count={2} height={60} />}>
            {({ pages }) => <List recurring={joinPages(pages)} timezone={timezone} onAct={setDialog} />}
          </Loaded>
        </div>
        {list.hasNextPage && (
          <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Show more
          </Button>
        )}
      </Stack>
      <RecurringDialogs dialog={dialog} timezone={timezone} onClose={() => setDialog(null)} />
      <RecurringPostDetails timezone={timezone} />
    </Section>
  )
}

function NewButton({ onClick }: { onClick: () => void }) {
  return (
    <Button size="sm" leftSection={<IconPlus size={16} />} onClick={onClick}>
      New recurring post
    </Button>
  )
}

type ListProps = { recurring: RecurringPost[]; timezone: string; onAct: (dialog: Dialog) => void }

function List({ recurring, timezone, onAct }: ListProps) {
  const may = useMay()
  if (recurring.length === 0) {
    return (
      <EmptyState title="No recurring posts yet">
        A recurring post is published at the same times every week. Only its next post takes a slot; the later ones are
        planned.
      </EmptyState>
    )
  }
  return (
    <ul className={classes.list}>
      {recurring.map((one) => (
        <RecurringItem key={one.id} recurring={one} timezone={timezone} onAct={may.change(one) ? onAct : undefined} />
      ))}
    </ul>
  )
}
