import { useInfiniteQuery } from '@tanstack/react-query'

import { Moment } from '@/components/moment'

import type { Phase } from './phase'
import { type Cell, incidentsQuery } from './queries'

type Props = { cell: Cell; phase: Phase; injectedAt: string | undefined }

/** The time since which the chaos target has been in this state, if known. */
export function Since({ cell, phase, injectedAt }: Props) {
  const at = useBeginning({ cell, phase, injectedAt })
  if (at === undefined) return null
  return (
    <>
      since <Moment at={at} />
    </>
  )
}

function useBeginning({ cell, phase, injectedAt }: Props) {
  const { data } = useInfiniteQuery(incidentsQuery)
  if (phase === 'unseen') return cell.seenAt
  if (phase !== 'healthy') return cell.incident?.openedAt ?? injectedAt
  if (data === undefined) return undefined
  return data.pages[0]?.incidents[0]?.endedAt ?? cell.startedAt
}
