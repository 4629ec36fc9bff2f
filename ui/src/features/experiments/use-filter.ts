import { useSearchParams } from 'react-router'

import type { ExperimentFilter } from '@/api/experiments'
import { useSession } from '@/api/session'

import { filterFrom, searchWith } from './filter'

/** What the list is asked for. It stands in the address, so that it can be shared and gone back to. */
export function useFilter() {
  const [params, setParams] = useSearchParams()
  const { role } = useSession()
  const set = (change: Partial<ExperimentFilter>) =>
    setParams((old) => searchWith(old, change), { replace: true, preventScrollReset: true })
  return { filter: filterFrom(params, role === 'founder'), set }
}
