import { type Cell, type ChaosEvent, type ChaosRun, isOpen } from './queries'

/** What the page says of the chaos target. */
export type Phase = 'healthy' | 'chaos' | 'recovering' | 'broken' | 'unseen'

/** What is known of the latest run that this page saw. */
export type Known = { event?: ChaosEvent | undefined; run?: ChaosRun | undefined }

/** How the chaos target is by all that is known. While a run is open it is never healthy. */
export function truthOf(cell: Cell | undefined, { event, run }: Known): Phase | undefined {
  if (event !== undefined && isOpen(event)) return isMending(cell, run) ? 'recovering' : 'chaos'
  if (cell === undefined) return undefined
  if (cell.status === 'unseen') return 'unseen'
  if (event !== undefined && endedSince(cell, event)) return event.restored ? 'healthy' : 'broken'
  if (cell.incident !== undefined) return helpless(cell) ? 'broken' : 'recovering'
  return cell.status
}

const isMending = (cell: Cell | undefined, run: ChaosRun | undefined) =>
  cell?.incident !== undefined || run?.timeline.some(({ kind }) => kind === 'unhealthy' || kind === 'repaired') === true

export const helpless = ({ incident }: Cell) => incident?.alarm !== undefined && incident.alarm !== ''

// The chaos target was looked at before the run ended, so the run knows better.
const endedSince = ({ seenAt }: Cell, { endedAt }: ChaosEvent) =>
  endedAt !== undefined && seenAt !== undefined && Date.parse(seenAt) < Date.parse(endedAt)

// How long these are shown at least, so that an eye can follow a chaos target that heals in no time.
const least: Partial<Record<Phase, number>> = { chaos: 1_000, recovering: 2_000 }

/** What comes after what is shown. Whatever was broken is seen to recover before it is healthy. */
export function nextPhase(shown: Phase | undefined, truth: Phase | undefined, wasBroken: boolean) {
  return shown === 'chaos' && truth === 'healthy' && wasBroken ? 'recovering' : truth
}

/** How long a phase still has to be shown. Only good news wait. */
export function leastTime(shown: Phase | undefined, next: Phase | undefined) {
  const better = next === 'recovering' || next === 'healthy'
  return better && shown !== undefined && shown !== next ? (least[shown] ?? 0) : 0
}
