import { utcDay } from '@/lib/time'

import { amount, count } from './amount'
import type { Detail, Measure } from './words'

type Promised = Pick<Measure, 'at_most' | 'threshold' | 'unit'>

/** "at least 40 posts" */
export const promisedText = ({ at_most, threshold, unit }: Promised) =>
  `${at_most ? 'at most' : 'at least'} ${amount(threshold, unit)}`

// The value before it names the unit already.
const shortPromise = ({ at_most, threshold, unit }: Promised) =>
  `promised ${at_most ? 'at most' : 'at least'} ${unit === '%' || unit === 's' ? amount(threshold, unit) : count(threshold)}`

type Verdict = Exclude<Detail['verdict'], ''>

/** "Met: 42 posts, promised at least 40" */
export function verdictText(verdict: Verdict, measure: Measure) {
  const { value, unit } = measure
  const found = { met: 'Met', missed: 'Missed' } as const
  if (verdict === 'unmeasured') return `Unmeasured: nothing to measure, promised ${promisedText(measure)}`
  if (verdict === 'abandoned') return `Abandoned: given up before its date, promised ${promisedText(measure)}`
  return `${found[verdict]}: ${value === undefined ? 'not recorded' : amount(value, unit)}, ${shortPromise(measure)}`
}

const would: Record<Measure['would_be'], string | null> = {
  '': null,
  met: 'met',
  missed: 'missed',
  unmeasured: 'unmeasured, because there is nothing to measure yet',
  abandoned: 'abandoned',
}

/** "If it were judged now: met" */
export function wouldBeText({ would_be }: Pick<Measure, 'would_be'>) {
  const verdict = would[would_be]
  return verdict === null ? null : `If it were judged now: ${verdict}`
}

type Point = Measure['points'][number]

/** "Nov 22: 31 posts" */
export const pointLine = ({ at, value }: Point, { unit }: Pick<Measure, 'unit'>) =>
  `${utcDay(at)}: ${amount(value, unit)}`

/** The chart in two sentences. */
export function plotSummary(measure: Measure) {
  const { points, label, due_at } = measure
  const [first, last] = [points[0], points.at(-1)]
  const promised = `Promised: ${promisedText(measure)} by ${utcDay(due_at)}.`
  if (first === undefined || last === undefined) return `${label}: nothing measured. ${promised}`
  if (first === last) return `${label}: ${pointLine(first, measure)}. ${promised}`
  return `${label} from ${pointLine(first, measure)}, to ${pointLine(last, measure)}. ${promised}`
}
