import type { RunBrief, RunStep } from '@/api/runs'

/** "1.2 s" between two times; short ones in milliseconds. */
export function lasted(from: string, until: string) {
  const ms = Math.max(0, Date.parse(until) - Date.parse(from))
  if (ms < 1_000) return `${ms} ms`
  const seconds = ms / 1_000
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`
}

/** The start of a step, relative to the run's start. */
export const since = (run: Pick<RunBrief, 'startedAt'>, step: Pick<RunStep, 'at'>) =>
  `+${lasted(run.startedAt, step.at)}`

/** The duration of a step, if it is long enough to show. */
export const took = ({ at, endedAt }: RunStep) =>
  endedAt !== undefined && Date.parse(endedAt) - Date.parse(at) >= 1 ? lasted(at, endedAt) : undefined

export const flowName = (flow: string) => flow.charAt(0).toUpperCase() + flow.slice(1).replaceAll('-', ' ')
