import { useBlocker } from 'react-router'

import { LeaveQuestion } from '@/components/leave-question'

const viewOf = (search: string) => new URLSearchParams(search).get('view')

/** Asks before somebody goes to another page, or another view of this one, with changes that are not saved. */
export function AskBeforeLeaving({ dirty }: { dirty: boolean }) {
  const blocker = useBlocker(
    ({ currentLocation: from, nextLocation: to }) =>
      dirty && (from.pathname !== to.pathname || viewOf(from.search) !== viewOf(to.search)),
  )
  return <LeaveQuestion blocker={blocker}>Your changes to the posting times are not saved yet.</LeaveQuestion>
}
