import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from 'react-router'
import { experimentQuery, useMoveExperiment } from '@/api/experiments'
import { notifyDone } from '@/components/notify'

import { useDetailCache } from './use-detail-cache'
import type { Detail, Move } from './words'

const done: Record<Move['to'], string> = {
  planning: 'It is public now, and may be voted on.',
  active: 'It is active.',
  testing: 'It is being tested.',
  completed: 'It is completed.',
  shipped: 'It has shipped.',
  declined: 'It is declined.',
}

/** Changes an experiment's status. An approved idea gets a new slug, and the page navigates to it. */
export function useMove(experiment: Detail, onDone = () => {}) {
  const move = useMoveExperiment()
  const put = useDetailCache(experiment.id)
  const follow = useNewAddress()

  function send(to: Move['to'], reason = '') {
    if (move.isPending) return
    const said = reason.trim()
    move.mutate(
      { slug: experiment.slug, version: experiment.version, to, ...(said !== '' && { reason: said }) },
      {
        onSuccess: (now) => {
          put(() => now)
          notifyDone(done[to])
          onDone()
          follow(experiment, now)
        },
      },
    )
  }
  return { send, sent: move.variables?.version, error: move.error, isPending: move.isPending }
}

function useNewAddress() {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const { slug } = useParams()
  return (before: Detail, now: Detail) => {
    if (now.slug === before.slug || slug !== before.slug) return
    queryClient.setQueryData(experimentQuery(now.slug).queryKey, now)
    void navigate(`/experiments/${encodeURIComponent(now.slug)}`, { replace: true })
  }
}
