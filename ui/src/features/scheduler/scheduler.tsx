import { Button, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'

import type { Post } from '@/api/posts'
import { useMay } from '@/api/use-may'
import { MembersOnly } from '@/components/founders-only'
import { IconPlus } from '@/components/icons'
import type { Day } from '@/lib/calendar'
import { BudgetRail } from './budget-rail'
import { Calendar } from './calendar'
import type { Composed } from './composer-dialog'
import { DetailsDialog } from './details-dialog'
import { PeriodNav } from './period-nav'
import { PostingControlsBar } from './posting-controls-bar'
import { postingControlsQuery } from './queries'
import { QueueView } from './queue-view'
import { RecentlyCancelled } from './recently-cancelled'
import classes from './scheduler.module.css'
import { useAddress } from './use-address'
import { useStable } from './use-stable'
import { ViewNav } from './view-nav'

// Parts that the calendar does not need are loaded on demand.
const ComposerDialog = lazy(async () => ({ default: (await import('./composer-dialog')).ComposerDialog }))
const ReviewList = lazy(async () => ({ default: (await import('./review-list')).ReviewList }))
const RecurringPanel = lazy(async () => ({ default: (await import('./recurring-panel')).RecurringPanel }))
const PostingTimesPanel = lazy(async () => ({ default: (await import('./posting-times-panel')).PostingTimesPanel }))
const ImportPanel = lazy(async () => ({ default: (await import('./import-panel')).ImportPanel }))

/** The calendar, the queue, posting times and reviews. */
export function Scheduler() {
  const address = useAddress()
  const { data: controls } = useQuery(postingControlsQuery)
  const [composed, compose] = useComposed()
  const may = useMay()
  const open = useStable((post: Post) => address.openPost(post.id))

  return (
    <>
      <PostingControlsBar />
      <div className={classes.bar}>
        <ViewNav active={address.view} toReview={controls?.toReview ?? 0} search={address.search} />
        {may.write && <NewPostButton onClick={() => compose({})} />}
        <MembersOnly what="write, move or cancel posts" />
      </div>
      <div className={classes.layout}>
        <div className={classes.main}>
          <Suspense fallback={<Skeleton h={300} aria-busy="true" />}>
            <Centre address={address} onOpen={open} onCompose={(day) => compose({ day })} />
          </Suspense>
        </div>
        <aside className={classes.rail} aria-label="The month's budget">
          <BudgetRail month={address.on.slice(0, 7)} />
          <RecentlyCancelled zone={address.zone} />
        </aside>
      </div>
      <DetailsDialog
        id={address.postId}
        zone={address.zone}
        onClose={() => address.openPost(null)}
        onEdit={(post) => {
          address.openPost(null)
          compose({ post })
        }}
      />
      <Suspense>
        {composed && <ComposerDialog opened initial={composed} timezone={address.zone} onClose={() => compose(null)} />}
      </Suspense>
    </>
  )
}

type CentreProps = {
  address: ReturnType<typeof useAddress>
  onOpen: (post: Post) => void
  onCompose: (day: Day) => void
}

function Centre({ address, onOpen, onCompose }: CentreProps) {
  const { view, on, today, zone, goTo, setZone } = address
  switch (view) {
    case 'review':
      return <ReviewList timezone={zone} />
    case 'recurring':
      return <RecurringPanel timezone={zone} />
    case 'times':
      return <PostingTimesPanel />
    case 'import':
      return <ImportPanel timezone={zone} />
  }
  return (
    <>
      <PeriodNav view={view} on={on} today={today} zone={zone} onTurn={goTo} onZone={setZone} />
      {view === 'queue' ? (
        <QueueView on={on} zone={zone} onOpen={onOpen} />
      ) : (
        <Calendar view={view} on={on} today={today} zone={zone} onTurn={goTo} onOpen={onOpen} onCompose={onCompose} />
      )}
    </>
  )
}

function NewPostButton({ onClick }: { onClick: () => void }) {
  return (
    <Button size="sm" leftSection={<IconPlus size={16} />} onClick={onClick}>
      New post
    </Button>
  )
}

/** The state of the composer. Another page may pass a text once; going back does not reopen it. */
function useComposed() {
  const { state, pathname, search } = useLocation()
  const navigate = useNavigate()
  const handed: Composed | null = state?.compose ?? null
  const [composed, setComposed] = useState<Composed | null>(handed)
  const compose = (next: Composed | null) => {
    setComposed(next)
    if (handed !== null) void navigate(pathname + search, { replace: true, state: null, preventScrollReset: true })
  }
  return [composed, compose] as const
}
