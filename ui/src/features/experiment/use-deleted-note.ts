import { useDeleteNote, useWriteNote } from '@/api/experiments'
import { notifyDone, notifyError } from '@/components/notify'

import { notifyWithUndo } from '@/components/notify-with-undo'
import { useDetailCache, withNote, withoutNote } from './use-detail-cache'
import { type Detail, type Note, noteDate } from './words'

/** Deletes a note. Undo writes its text again. */
export function useDeletedNote({ id, slug }: Detail) {
  const remove = useDeleteNote()
  const write = useWriteNote()
  const put = useDetailCache(id)

  function undo({ date, content }: Note) {
    write.mutateAsync({ slug, date, version: 0, content }).then(
      (note) => {
        put((detail) => withNote(detail, note))
        notifyDone(`The note of ${noteDate(date)} is back.`)
      },
      (error) => notifyError(`The note of ${noteDate(date)} did not come back`, error),
    )
  }

  return (note: Note, onDone: () => void) => {
    if (remove.isPending) return
    const { date, version } = note
    remove.mutate(
      { slug, date, version },
      {
        onSuccess: () => {
          put((detail) => withoutNote(detail, date))
          notifyWithUndo(`The note of ${noteDate(date)} is deleted.`, () => undo(note))
          onDone()
        },
        onError: (error) => notifyError('The note was not deleted', error),
      },
    )
  }
}
