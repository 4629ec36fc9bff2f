import { useMutation } from '@tanstack/react-query'

import { answer, api, type Schemas } from '@/api/client'
import { useForgetEverything } from '@/api/session'
import { saveFile } from '@/lib/save-file'

/** Saves the file under the name in the response. */
export const useExportAccount = () =>
  useMutation({
    gcTime: 0,
    mutationFn: async () => {
      const call = api.GET('/api/account/export', { parseAs: 'blob' })
      saveFile(await answer(call), fileName((await call).response))
    },
  })

const fileName = (response: Response) =>
  /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1] ?? 'customerzero.json'

/** Deletes the account. `onLeft` is called before the pages switch to a visitor's session. */
export function useDeleteAccount(onLeft: (left: Schemas['Deleted']) => void) {
  const forget = useForgetEverything()
  return useMutation({
    mutationFn: (confirm: string) => answer(api.POST('/api/account/deletion', { body: { confirm } })),
    onSuccess: (left) => {
      onLeft(left)
      return forget()
    },
  })
}
