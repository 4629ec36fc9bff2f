import { Button, Group, Stack } from '@mantine/core'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'

import { EmptyState } from '@/components/empty-state'
import { Section } from '@/components/section'

import classes from './experiment.module.css'
import { LabNote } from './lab-note'
import { NoteEditor } from './note-editor'
import { useDeletedNote } from './use-deleted-note'
import { type Detail, type Note, noteAnchor } from './words'

/** The notes, newest day first. An open editor stays open even if its note is deleted. */
export function LabNotes({ experiment }: { experiment: Detail }) {
  const { labNotes, can_edit } = experiment
  const [isAdding, setAdding] = useState(false)
  const [open, setOpen] = useState<readonly Note[]>([])
  const adder = useRef<HTMLButtonElement>(null)
  const erase = useDeletedNote(experiment)

  function close(part: () => void, note?: Note) {
    flushSync(part)
    const next = note && document.getElementById(noteAnchor(note))
    ;(next ?? adder.current)?.focus()
  }
  const closeNote = (note: Note) => close(() => setOpen((all) => all.filter((one) => one.date !== note.date)), note)

  return (
    <Section title="Lab notes">
      <Stack gap="lg">
        {isAdding ? (
          <NoteEditor experiment={experiment} day={undefined} onClose={() => close(() => setAdding(false))} />
        ) : (
          can_edit && (
            <Group>
              <Button ref={adder} size="sm" variant="default" onClick={() => setAdding(true)}>
                Write a note
              </Button>
            </Group>
          )
        )}
        {labNotes.length === 0 && (
          <EmptyState title="No lab notes yet">What is learnt is written down here, day by day.</EmptyState>
        )}
        <ol className={classes.notes} reversed>
          {withOpen(labNotes, open).map((note) => (
            <LabNote
              key={note.date}
              note={note}
              editor={
                open.some(({ date }) => date === note.date) && (
                  <NoteEditor experiment={experiment} day={note.date} onClose={() => closeNote(note)} />
                )
              }
              mayEdit={can_edit}
              onEdit={() => setOpen((all) => [...all, note])}
              onDelete={() => erase(note, () => adder.current?.focus())}
            />
          ))}
        </ol>
      </Stack>
    </Section>
  )
}

// A deleted note keeps its place while its editor is open; moving it would remount the editor.
const withOpen = (notes: Note[], open: readonly Note[]) =>
  [...notes, ...open.filter(({ date }) => notes.every((note) => note.date !== date))].sort((a, b) =>
    b.date.localeCompare(a.date),
  )
