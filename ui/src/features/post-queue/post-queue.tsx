import { Button, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { useMay } from '@/api/use-may'
import { CardSkeletons } from '@/components/card-skeletons'
import { MembersOnly } from '@/components/founders-only'
import { IconPlus } from '@/components/icons'
import { Loaded } from '@/components/loaded'
import { Section } from '@/components/section'
import { type Dialog, PostDialogs } from './dialogs'
import { FilterNav } from './filter-nav'
import { filterFrom } from './filters'
import { queueQuery } from './queries'
import { QueueList } from './queue-list'
import { QueuePages } from './queue-pages'

/** The posts of the queue, with the actions of members and founders. */
export function PostQueue() {
  const [params] = useSearchParams()
  const filter = filterFrom(params.get('queue'))
  const page = Math.max(1, Math.trunc(Number(params.get('page'))) || 1)
  const queue = useQuery(queueQuery(filter, page))
  // State of the list and not of a row, because a row may leave the list while its dialog is open.
  const [dialog, setDialog] = useState<Dialog | null>(null)
  const may = useMay()

  return (
    <Section title="Post queue" aside={may.write && <NewPostButton onClick={() => setDialog({ kind: 'new' })} />}>
      <Stack gap="md">
        <FilterNav active={filter} counts={queue.data?.counts} />
        <MembersOnly what="write, change, retry or cancel posts" />
        <div>
          <Loaded query={queue} what="the queue" loading={<CardSkeletons count={2} height={40} />}>
            {(data) => (
              <>
                <QueueList posts={data.posts} filter={filter} mayChange={may.change} onAct={setDialog} />
                <QueuePages page={page} pagination={data.pagination} />
              </>
            )}
          </Loaded>
        </div>
      </Stack>
      <PostDialogs dialog={dialog} onClose={() => setDialog(null)} />
    </Section>
  )
}

function NewPostButton({ onClick }: { onClick: () => void }) {
  return (
    <Button size="sm" leftSection={<IconPlus size={16} />} onClick={onClick}>
      New post
    </Button>
  )
}
