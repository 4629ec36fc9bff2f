import { useQueryClient } from '@tanstack/react-query'

import { experimentsKey } from '@/api/experiments'

import type { Detail, Note } from './words'

/** Writes the server's response into the cache, before the refetch. */
export function useDetailCache(id: string) {
  const queryClient = useQueryClient()
  return (change: (detail: Detail) => Detail) =>
    queryClient.setQueriesData<Detail>({ queryKey: [...experimentsKey, 'one'] }, (detail) =>
      detail?.id === id ? change(detail) : detail,
    )
}

/** The experiment with this note as its day's note. */
export const withNote = (detail: Detail, note: Note): Detail => ({
  ...detail,
  labNotes: [note, ...withoutNote(detail, note.date).labNotes].sort((a, b) => b.date.localeCompare(a.date)),
})

export const withoutNote = (detail: Detail, date: string): Detail => ({
  ...detail,
  labNotes: detail.labNotes.filter((note) => note.date !== date),
})
