import type { Experiment } from '@/api/experiments'

/** How long it may take to build. */
export const difficulties: Record<Experiment['difficulty'], string> = {
  easy: 'Easy (1-2 days)',
  medium: 'Medium (1 week)',
  hard: 'Hard (2+ weeks)',
}
