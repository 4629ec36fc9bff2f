import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import { runQuery } from '@/api/verification'
import { Loaded } from '@/components/loaded'

import { RunResult } from './run-result'
import { RunUnknown } from './run-unknown'
import { isUnknown } from './unknown'

export function RunDetails({ id }: { id: string }) {
  const query = useQuery(runQuery(id))
  if (query.data === undefined && isUnknown(query.error)) return <RunUnknown />
  return (
    <Loaded query={query} what="the verification" loading={<Skeleton h={320} aria-busy="true" />}>
      {(run) => <RunResult run={run} />}
    </Loaded>
  )
}
