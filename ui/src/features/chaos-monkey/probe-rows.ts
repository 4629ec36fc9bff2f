import { fullName, type Group, type Probe, type Series, shortName } from './probe-groups'

/** A line of the chart: a group of checks, or one check of an open group. */
export type Row = {
  key: string
  label: string
  title?: string
  group: string
  places: number[]
  single: boolean
  y: number
}

export const rowHeight = 26
export const lanesHeight = 70
export const countHeight = 56

/** The rows from top to bottom; the rows of an open group's checks follow the group. */
export function rowsOf({ checks }: Series, groups: Group[], open: Set<string>): Row[] {
  return groups
    .flatMap(({ name, places }) => [
      { key: name, label: name, group: name, places, single: false },
      ...(open.has(name) ? places : []).map((place) => ({
        key: `${name} ${place}`,
        label: shortName(checks[place] ?? ''),
        title: fullName(checks[place] ?? ''),
        group: name,
        places: [place],
        single: true,
      })),
    ])
    .map((row, index) => ({ ...row, y: lanesHeight + index * rowHeight }))
}

export const fails = (row: Pick<Row, 'places'>, probe: Probe) =>
  row.places.some((place) => probe.failing.includes(place))

/** Groups consecutive probes that reached the same process. */
export function processesOf(samples: Probe[]) {
  const stretches: { process: number; from: number; to: number }[] = []
  samples.forEach(({ process }, index) => {
    const last = stretches.at(-1)
    if (last?.process === process) last.to = index
    else stretches.push({ process, from: index, to: index })
  })
  return stretches
}
