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

import classes from './series.module.css'
import { SeriesDetails } from './series-details'
import { type Dialog, SeriesDialogs } from './series-dialogs'
import { SeriesItem } from './series-item'
import { joinPages, type Series, seriesListQuery } from './series-queries'

/** The posts that recur, and what people may do with them. Times are shown in the zone of the page. */
export function SeriesPanel({ timezone }: { timezone: string }) {
  const list = useInfiniteQuery(seriesListQuery)
  // Held here and not in an item: an item may leave the list while its dialog is open.
  const [dialog, setDialog] = useState<Dialog | null>(null)
  const may = useMay()
  return (
    <Section title="Series" aside={may.write && <NewButton onClick={() => setDialog({ kind: 'new' })} />}>
      <Stack gap="md">
        <MembersOnly what="make, change or end series" />
        <div>
          <Loaded query={list} what="the series" loading={<CardSkeletons count={2} height={60} />}>
            {({ pages }) => <List series={joinPages(pages)} timezone={timezone} onAct={setDialog} />}
          </Loaded>
        </div>
        {list.hasNextPage && (
          <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Show more
          </Button>
        )}
      </Stack>
      <SeriesDialogs dialog={dialog} timezone={timezone} onClose={() => setDialog(null)} />
      <SeriesDetails timezone={timezone} />
    </Section>
  )
}

function NewButton({ onClick }: { onClick: () => void }) {
  return (
    <Button size="sm" leftSection={<IconPlus size={16} />} onClick={onClick}>
      New series
    </Button>
  )
}

type ListProps = { series: Series[]; timezone: string; onAct: (dialog: Dialog) => void }

function List({ series, timezone, onAct }: ListProps) {
  const may = useMay()
  if (series.length === 0) {
    return (
      <EmptyState title="No series yet">
        A series posts at the same times every week. Only its next post takes a slot; the later ones are planned.
      </EmptyState>
    )
  }
  return (
    <ul className={classes.list}>
      {series.map((one) => (
        <SeriesItem key={one.id} series={one} timezone={timezone} onAct={may.change(one) ? onAct : undefined} />
      ))}
    </ul>
  )
}
