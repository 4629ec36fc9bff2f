import type { Experiment } from '@/api/experiments'
import { useSession } from '@/api/session'
import { ExperimentVotes } from '@/components/experiment-votes'
import { useHere } from '@/lib/use-here'

import { Decision } from './decision'

/** What a reader can do about an experiment: vote, or decide whether it is to be one. */
export function ExperimentAction({ experiment }: { experiment: Experiment }) {
  const { role } = useSession()
  const here = useHere()
  if (experiment.status !== 'waiting') {
    return <ExperimentVotes experiment={experiment} next={`${here}#${experiment.slug}`} />
  }
  return role === 'founder' && <Decision experiment={experiment} />
}
