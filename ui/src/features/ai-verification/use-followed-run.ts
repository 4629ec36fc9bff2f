import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'react-router'

import { runQuery } from '@/api/verification'

/** The run that the page shows. Its ID is in the URL, so a reload shows it again. */
export function useFollowedRun() {
  const [params, setParams] = useSearchParams()
  const id = params.get('run') ?? ''
  const query = useQuery({ ...runQuery(id), enabled: id !== '' })
  const follow = (next: string) =>
    setParams(
      (old) => {
        old.set('run', next)
        return old
      },
      { replace: true, preventScrollReset: true },
    )
  return { id, query, follow }
}
