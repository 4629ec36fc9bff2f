import { type Cell, type ChaosEvent, type ChaosRun, isOpen } from './queries'

/** The state that the page shows for the chaos target. */
export type Phase = 'healthy' | 'chaos' | 'recovering' | 'broken' | 'unseen'

/** The cached data of the latest run. */
export type Known = { event?: ChaosEvent | undefined; run?: ChaosRun | undefined }

/** The state of the chaos target according to all cached data. It is never healthy while a run is open. */
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

// The run ended after the chaos target was last probed, so the run is more recent.
const endedSince = ({ seenAt }: Cell, { endedAt }: ChaosEvent) =>
  endedAt !== undefined && seenAt !== undefined && Date.parse(seenAt) < Date.parse(endedAt)

// The minimum time that a state is shown, so that a fast recovery remains visible.
const least: Partial<Record<Phase, number>> = { chaos: 1_000, recovering: 2_000 }

/** The state that follows the shown one. After a fault, recovery is always shown before healthy. */
export function nextPhase(shown: Phase | undefined, truth: Phase | undefined, wasBroken: boolean) {
  return shown === 'chaos' && truth === 'healthy' && wasBroken ? 'recovering' : truth
}

/** How long a state must still be shown. Only changes for the better wait. */
export function leastTime(shown: Phase | undefined, next: Phase | undefined) {
  const better = next === 'recovering' || next === 'healthy'
  return better && shown !== undefined && shown !== next ? (least[shown] ?? 0) : 0
}
