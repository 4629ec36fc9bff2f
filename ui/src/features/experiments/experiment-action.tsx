import type { Experiment } from '@/api/experiments'
import { useSession } from '@/api/session'
import { ExperimentVotes } from '@/components/experiment-votes'
import { useHere } from '@/lib/use-here'

import { Decision } from './decision'

/** The action for a reader: vote, or as a founder decide. */
export function ExperimentAction({ experiment }: { experiment: Experiment }) {
  const { role } = useSession()
  const here = useHere()
  if (experiment.status !== 'waiting') {
    return <ExperimentVotes experiment={experiment} next={`${here}#${experiment.slug}`} />
  }
  return role === 'founder' && <Decision experiment={experiment} />
}
