import type { Check } from '@/api/verification'

import { viewKey, viewLabel, views } from './words'

export type CheckGroup = { name: string; checks: Check[]; failed: number }

/** Groups the checks by subject; failed groups and failed checks come first. */
export function groupChecks(checks: Check[]): CheckGroup[] {
  const names = [...new Set(checks.map(groupName))]
  const groups = names.map((name) => {
    const own = checks.filter((check) => groupName(check) === name)
    return { name, checks: failedFirst(own), failed: own.filter(isFailed).length }
  })
  return groups.sort((one, other) => Number(other.failed > 0) - Number(one.failed > 0))
}

const isFailed = ({ state }: Check) => state === 'fail'

const failedFirst = (checks: Check[]) =>
  checks.toSorted((one, other) => Number(isFailed(other)) - Number(isFailed(one)))

function groupName({ kind, subject }: Check) {
  if (kind === 'endpoint') return 'Endpoints'
  const view = views.find((known) => viewKey(known) === subject)
  return view === undefined ? subject : viewLabel(view)
}
