import { Skeleton } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'

import type { Schemas } from '@/api/client'
import { Loaded } from '@/components/loaded'

import { isUnknown } from './queries'
import { Unknown } from './unknown'

type Receipt = Schemas['Receipt']

type Props = { query: UseQueryResult<Receipt>; children: (receipt: Receipt) => ReactNode }

/** A receipt, or a note that there is none. */
export function Found({ query, children }: Props) {
  if (query.data === undefined && isUnknown(query.error)) return <Unknown />
  return (
    <Loaded query={query} what="the receipt" loading={<Skeleton h={240} aria-busy="true" />}>
      {children}
    </Loaded>
  )
}
