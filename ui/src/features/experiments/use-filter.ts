import { useSearchParams } from 'react-router'

import type { ExperimentFilter } from '@/api/experiments'
import { useSession } from '@/api/session'

import { filterFrom, searchWith } from './filter'

/** The filter of the list. It is stored in the URL, so it can be shared and works with the back button. */
export function useFilter() {
  const [params, setParams] = useSearchParams()
  const { role } = useSession()
  const set = (change: Partial<ExperimentFilter>) =>
    setParams((old) => searchWith(old, change), { replace: true, preventScrollReset: true })
  return { filter: filterFrom(params, role === 'founder'), set }
}
