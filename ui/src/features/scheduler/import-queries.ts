import { useMutation, useQueryClient } from '@tanstack/react-query'

import { answer, api, type Schemas } from '@/api/client'

export type ImportReply = Schemas['ImportReply']
export type ImportLine = Schemas['ImportLine']

/** A file as its bytes: the server says where they are not UTF-8, and a text could not. */
export type CsvFile = { name: string; bytes: Uint8Array<ArrayBuffer> }

const send = (file: CsvFile, dryRun: boolean) =>
  answer(
    api.POST('/api/posts/import', {
      params: { query: { dryRun }, header: { 'Content-Type': 'text/csv' } },
      body: '',
      bodySerializer: () => file.bytes,
    }),
  )

/** What would become of each line. */
export const usePreview = () => useMutation({ mutationFn: (file: CsvFile) => send(file, true) })

/** Writes the posts. When the answer is lost, importing again writes nothing twice. */
export function useImport() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (file: CsvFile) => send(file, false),
    onSettled: () => queryClient.invalidateQueries(),
  })
}
