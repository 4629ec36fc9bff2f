import { plural } from '@/lib/plural'

import { fullName, type Probe, type Series } from './probe-groups'

const exact = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 3, useGrouping: false })

/** "1.273 s", to the millisecond, so that it can be matched with a probe. */
export const exactSeconds = (ms: number) => `${exact.format(ms / 1_000)} s`

/** The time of a probe; `injected` means that there is an injection to count from. */
export function whenOf(ms: number, injected: boolean) {
  if (!injected) return `${exactSeconds(ms)} after the first probe`
  return ms < 0 ? `${exactSeconds(-ms)} before the injection` : `${exactSeconds(ms)} after the injection`
}

/** The names of the failed checks. */
export const failingNames = ({ checks }: Series, { failing }: Probe) =>
  failing.map((place) => fullName(checks[place] ?? 'unknown check')).join(', ')

/** One probe in one line. */
export function probeLine(series: Series, index: number, injected: boolean) {
  const probe = series.samples[index]
  if (probe === undefined) return ''
  const process = probe.process === 0 ? 'There was no process.' : `Process ${probe.process}.`
  return `Probe ${index + 1} of ${series.samples.length}, ${whenOf(probe.ms, injected)}: ${found(series, probe)} ${process}`
}

function found(series: Series, probe: Probe) {
  if (probe.failing.length === 0) return 'all was well.'
  return `${probe.failing.length} of ${plural(series.checks.length, 'check')} failed: ${failingNames(series, probe)}.`
}
