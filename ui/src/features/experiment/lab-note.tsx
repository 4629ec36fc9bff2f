import { Button, Group, Text, Title } from '@mantine/core'
import { type ReactElement, useEffect, useRef } from 'react'
import { Link, useLocation } from 'react-router'

import { Moment } from '@/components/moment'
import { handle } from '@/lib/handle'

import classes from './experiment.module.css'
import { Markdown } from './markdown'
import { type Note, noteAnchor, noteTitle } from './words'

type Props = { note: Note; editor: ReactElement | false; mayEdit: boolean; onEdit: () => void; onDelete: () => void }

/** A day's note with its own anchor. */
export function LabNote({ note, editor, mayEdit, onEdit, onDelete }: Props) {
  const id = noteAnchor(note)
  const { ref, isHere } = useHash(id)
  const title = noteTitle(note)
  return (
    <li ref={ref} id={id} tabIndex={-1} className={classes.note} data-here={isHere || undefined}>
      <Group justify="space-between" gap="xs" mb={6}>
        <Title order={3} size="h5">
          <Link to={`#${id}`} className={classes.day}>
            <time dateTime={note.date}>{title}</time>
          </Link>
        </Title>
        {mayEdit && editor === false && (
          <Group gap={4}>
            <Button size="compact-sm" variant="subtle" onClick={onEdit} aria-label={`Edit the note ${title}`}>
              Edit
            </Button>
            <Button
              size="compact-sm"
              variant="subtle"
              color="gray"
              onClick={onDelete}
              aria-label={`Delete the note ${title}`}
            >
              Delete
            </Button>
          </Group>
        )}
      </Group>
      {editor === false ? <Markdown text={note.content} /> : editor}
      <Text size="sm" c="dimmed" mt={4} className="wrap-anywhere">
        {note.example && 'Example, '}
        {note.author !== '' && `${handle(note.author)}, `}
        <Moment at={note.updated_at} />
      </Text>
    </li>
  )
}

/** Notes load after the page, so the browser has not scrolled to the anchor yet. */
function useHash(id: string) {
  const ref = useRef<HTMLLIElement>(null)
  const { hash, key } = useLocation()
  const isHere = hash === `#${id}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: following the same link again leads here again
  useEffect(() => {
    if (!isHere) return
    ref.current?.scrollIntoView()
    ref.current?.focus({ preventScroll: true })
  }, [isHere, key])
  return { ref, isHere }
}
