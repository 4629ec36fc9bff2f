import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import { tellDone } from '@/components/tell'

import { changesOf, draftOf, type Seed } from './series-draft'
import { type Leaving, SeriesForm } from './series-form'
import { type Series, seriesQuery, useChangeSeries } from './series-queries'
import { Conflict } from './timetable-conflict'
import { useEdited } from './timetable-edited'
import { weekText } from './timetable-week'

type Props = { series: Series; leaving: Leaving; onDone: () => void }

export function EditSeries({ series, leaving, onDone }: Props) {
  const { data } = useQuery(seriesQuery(series.id))
  const edited = useEdited<Seed, ReturnType<typeof draftOf>>(data?.series ?? series, draftOf)
  const { draft, change, dirty, theirs, base } = edited
  const save = useChangeSeries()
  const send = () =>
    save.mutate(
      { id: series.id, ...changesOf(draft, base) },
      {
        onSuccess: () => {
          tellDone('The series is saved.')
          onDone()
        },
      },
    )
  return (
    <SeriesForm
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
          what="this series"
          theirs={<Theirs of={theirs} />}
          onTake={() => edited.settle(theirs)}
          onKeep={edited.keepMine}
        />
      )}
    </SeriesForm>
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
