import type { Schemas } from '@/api/client'

export type Series = Schemas['ProbeList']
export type Probe = Schemas['Probe']

/** Checks of one kind, by their index in the series. */
export type Group = { name: string; places: number[] }

const kinds: [name: string, has: (check: string) => boolean][] = [
  ['Files', (check) => check.startsWith('file:')],
  ['Pages', (check) => /^(page|api):/.test(check)],
  ['Process', (check) => check === 'process'],
  ['Database', (check) => check === 'database'],
  ['Worker', (check) => check === 'worker'],
  ['Supervisor', (check) => check === 'supervisor'],
  ['Other', () => true], // a check that is newer than this page
]

/** The kinds of checks in a series, in the order of its rows. */
export function groupsOf(checks: string[]): Group[] {
  const kindOf = checks.map((check) => kinds.findIndex(([, has]) => has(check)))
  return kinds
    .map(([name], kind) => ({ name, places: kindOf.flatMap((of, place) => (of === kind ? [place] : [])) }))
    .filter(({ places }) => places.length > 0)
}

/** "og-image.png" from "file:public/og-image.png", for narrow places. */
export const shortName = (check: string) => check.replace(/^file:.*\/|^\w+:/, '')

/** "file public/og-image.png", for sentences. */
export const fullName = (check: string) => check.replace(':', ' ')
