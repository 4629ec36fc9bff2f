import { useMutation } from '@tanstack/react-query'

import { answer, api, type Schemas } from '@/api/client'
import { useForgetEverything } from '@/api/session'
import { saveFile } from '@/lib/save-file'

/** The file is saved as the server calls it. */
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

/** Whoever has left is nobody to every page. `onLeft` hears of it before the pages do. */
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
