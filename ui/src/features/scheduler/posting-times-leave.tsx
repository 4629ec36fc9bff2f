import { useBlocker } from 'react-router'

import { LeaveQuestion } from '@/components/leave-question'

const viewOf = (search: string) => new URLSearchParams(search).get('view')

/** Asks for confirmation before a navigation discards unsaved changes. */
export function ConfirmLeaving({ dirty }: { dirty: boolean }) {
  const blocker = useBlocker(
    ({ currentLocation: from, nextLocation: to }) =>
      dirty && (from.pathname !== to.pathname || viewOf(from.search) !== viewOf(to.search)),
  )
  return <LeaveQuestion blocker={blocker}>Your changes to the posting times are not saved yet.</LeaveQuestion>
}
