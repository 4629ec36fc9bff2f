import { Button, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useCallback } from 'react'

import { notifyDone } from '@/components/notify'
import { unavailable } from '@/components/unavailable'

import { Conflict } from './posting-times-conflict'
import { useEdited } from './posting-times-edited'
import { ConfirmLeaving } from './posting-times-leave'
import { WeekPlot } from './posting-times-plot'
import { type PostingTimes, useSavePostingTimes } from './posting-times-queries'
import { Refusal } from './posting-times-refusal'
import { isWhole, rowsOf, timesOf, weekText } from './posting-times-week'
import { WeekField } from './posting-times-week-field'
import { ZoneField } from './posting-times-zone-field'

const draftOf = ({ times, timezone, quietFrom, quietTo, minGapMinutes }: PostingTimes) => ({
  rows: rowsOf(times),
  timezone,
  quietFrom,
  quietTo,
  gap: String(minGapMinutes),
})

export function PostingTimesForm({ saved }: { saved: PostingTimes }) {
  const edited = useEdited(saved, draftOf)
  const { draft, change, dirty, theirs, base } = edited
  const save = useSavePostingTimes((now) => {
    edited.settle(now)
    notifyDone('The posting times are saved.')
  })
  const setZone = useCallback((timezone: string) => change({ timezone }), [change])
  const ready = dirty && theirs === null && isWhole(draft.rows)

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!ready || save.isPending) return
    const { rows, gap, ...rest } = draft
    save.mutate({ ...rest, times: timesOf(rows), minGapMinutes: Number(gap), version: base.version })
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        <WeekField rows={draft.rows} onChange={(rows) => change({ rows })} most={30} />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput
            type="time"
            label="Quiet from"
            required
            value={draft.quietFrom}
            onChange={(event) => change({ quietFrom: event.currentTarget.value })}
          />
          <TextInput
            type="time"
            label="Quiet until"
            description="The same as from: no quiet hours"
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            required
            value={draft.quietTo}
            onChange={(event) => change({ quietTo: event.currentTarget.value })}
          />
          <TextInput
            type="number"
            label="Least gap between posts, in minutes"
            min={0}
            max={1440}
            required
            value={draft.gap}
            onChange={(event) => change({ gap: event.currentTarget.value })}
          />
          <ZoneField value={draft.timezone} onChange={setZone} />
        </SimpleGrid>
        <WeekPlot times={timesOf(draft.rows)} quietFrom={draft.quietFrom} quietTo={draft.quietTo} />
        {theirs && (
          <Conflict
            what="these times"
            theirs={<Theirs of={theirs} />}
            onTake={() => edited.settle(theirs)}
            onKeep={edited.keepMine}
          />
        )}
        <Refusal error={save.error} />
        <Group gap="sm">
          <Button type="submit" {...unavailable(!ready)} loading={save.isPending}>
            Save
          </Button>
          <Button variant="default" {...unavailable(!dirty)} onClick={edited.reset}>
            Reset
          </Button>
          <Text size="sm" c="dimmed" role="status">
            {dirty && 'Not saved yet.'}
          </Text>
        </Group>
        <ConfirmLeaving dirty={dirty} />
      </Stack>
    </form>
  )
}

function Theirs({ of: { times, timezone, quietFrom, quietTo, minGapMinutes } }: { of: PostingTimes }) {
  return (
    <Text size="sm">
      {times.length > 0 ? weekText(times) : 'No times'}, in {timezone}.{' '}
      {quietFrom === quietTo ? 'No quiet hours' : `Quiet from ${quietFrom} to ${quietTo}`}, at least {minGapMinutes}{' '}
      minutes between posts.
    </Text>
  )
}
