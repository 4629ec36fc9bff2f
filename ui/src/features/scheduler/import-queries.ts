import { useMutation, useQueryClient } from '@tanstack/react-query'

import { answer, api, type Schemas } from '@/api/client'

export type ImportReply = Schemas['ImportReply']
export type ImportLine = Schemas['ImportLine']

/** A file as bytes: the server reports where they are not UTF-8, which decoded text would hide. */
export type CsvFile = { name: string; bytes: Uint8Array<ArrayBuffer> }

const send = (file: CsvFile, dryRun: boolean) =>
  answer(
    api.POST('/api/posts/import', {
      params: { query: { dryRun }, header: { 'Content-Type': 'text/csv' } },
      body: '',
      bodySerializer: () => file.bytes,
    }),
  )

/** Previews the result of each line. */
export const usePreview = () => useMutation({ mutationFn: (file: CsvFile) => send(file, true) })

/** Creates the posts. After a lost response, repeating the import creates no duplicates. */
export function useImport() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (file: CsvFile) => send(file, false),
    onSettled: () => queryClient.invalidateQueries(),
  })
}
