import { Button, Group, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'

import { useWriteNote } from '@/api/experiments'
import { notifyDone } from '@/components/notify'
import { unavailable } from '@/components/unavailable'
import { CancelButton } from './cancel-button'
import { Conflict, Kept } from './conflict'
import { fieldErrors, isStale } from './field-errors'
import { FormRefusal } from './form-refusal'
import { DayField, isNote, NoteField, today } from './note-fields'
import { useUnsaved } from './unsaved'
import { useDetailCache, withNote } from './use-detail-cache'
import { useEdited } from './use-edited'
import { useFocusOnError } from './use-focus-on-error'
import { type Detail, noteDate } from './words'

/** The saved note of a day; version 0 means none. */
type Saved = { date: string; version: number; content: string }

const keptOf = ({ labNotes }: Detail, date: string): Saved =>
  labNotes.find((note) => note.date === date) ?? { date, version: 0, content: '' }

const draftOf = ({ content }: Saved) => ({ content })

type Props = { experiment: Detail; day: string | undefined; onClose: () => void }

/** Edits the note of `day`, or of a day that is chosen here. */
export function NoteEditor({ experiment, day, onClose }: Props) {
  const [date, setDate] = useState(day ?? today())
  const edited = useEdited<Saved, { content: string }>(keptOf(experiment, date), draftOf)
  const { draft, dirty, theirs, kept } = edited
  const save = useSave(experiment, onClose)
  const errors = fieldErrors(save.error, ['content', 'date'])
  const form = useFocusOnError(save.error)
  useUnsaved(dirty)

  const ready = date !== '' && dirty && theirs === null && isNote(draft.content)

  function submit(event: FormEvent) {
    event.preventDefault()
    if (ready) save.send(edited.base, draft.content)
  }

  function keepMine() {
    const { base, draft: mine } = edited.keepMine()
    save.send(base, mine.content)
  }

  return (
    <form
      ref={form}
      noValidate
      onSubmit={submit}
      aria-label={day === undefined ? 'New note' : `Note of ${noteDate(day)}`}
    >
      <Stack gap="sm" maw={760}>
        {day === undefined && <DayField value={date} error={errors.at.date} onChange={setDate} />}
        <NoteField value={draft.content} error={errors.at.content} onChange={(content) => edited.change({ content })} />
        {kept && <Kept texts={[{ label: 'Note', text: kept.content ?? '' }]} onForget={edited.forgetKept} />}
        {theirs !== null && (
          <Conflict
            title={day === undefined && edited.base.version === 0 ? 'That day has a note already.' : undefined}
            clashes={[{ label: 'Note', theirs: theirs.content, mine: draft.content }]}
            pending={save.isPending}
            onTheirs={edited.seeTheirs}
            onMine={keepMine}
          />
        )}
        {!(isStale(save.error) && theirs !== null) && (
          <FormRefusal of={save} errors={errors} now={edited.base.version} />
        )}
        <Group gap="sm">
          <Button type="submit" {...unavailable(!ready)} loading={save.isPending}>
            Save the note
          </Button>
          <CancelButton dirty={dirty || kept !== null} onClose={onClose} />
          <Text size="sm" c="dimmed" role="status">
            {dirty && 'Not saved yet.'}
          </Text>
        </Group>
      </Stack>
    </form>
  )
}

function useSave({ id, slug }: Detail, onClose: () => void) {
  const write = useWriteNote()
  const put = useDetailCache(id)
  function send({ date, version }: Saved, content: string) {
    if (write.isPending) return
    write.mutate(
      { slug, date, version, content },
      {
        onSuccess: (note) => {
          put((detail) => withNote(detail, note))
          notifyDone(`The note of ${noteDate(date)} is saved.`)
          onClose()
        },
      },
    )
  }
  return { send, sent: write.variables?.version, error: write.error, isPending: write.isPending }
}
