import type { Check, VerificationBrief, VerificationView } from '@/api/verification'
import { IconCheck, IconCross, IconQuestion, IconWarning } from '@/components/icons'
import { plural } from '@/lib/plural'

export type Verdict = NonNullable<VerificationBrief['status']>
type Style = { label: string; color: string; icon: typeof IconCheck }

// Records, so that a new value in openapi.yaml does not compile without an entry.
export const verdictStyle: Record<Verdict, Style> = {
  active: { label: 'Working', color: 'green', icon: IconCheck },
  warning: { label: 'Warning', color: 'orange', icon: IconWarning },
  error: { label: 'Broken', color: 'red', icon: IconCross },
}

const criterionStyles = new Map<string, Style>([
  ['PASS', { label: 'PASS', color: 'green', icon: IconCheck }],
  ['FAIL', { label: 'FAIL', color: 'red', icon: IconCross }],
])
const unclear: Style = { label: 'UNCLEAR', color: 'gray', icon: IconQuestion }

/** Any verdict other than PASS and FAIL is unclear. */
export const criterionStyle = (verdict: string) => criterionStyles.get(verdict) ?? unclear

export const askerLabel: Record<VerificationBrief['requestedBy'], string> = {
  visitor: 'a visitor',
  member: 'a member',
  founder: 'a founder',
  schedule: 'the schedule',
}

/** In the order in which the viewports are captured. */
export const views: VerificationView[] = [
  { theme: 'light', viewport: 'wide' },
  { theme: 'dark', viewport: 'wide' },
  { theme: 'light', viewport: 'narrow' },
  { theme: 'dark', viewport: 'narrow' },
]

/** "light wide", the name that checks use for a viewport. */
export const viewKey = ({ theme, viewport }: VerificationView) => `${theme} ${viewport}`

/** "Light, wide" */
export const viewLabel = (view: VerificationView) => capital(`${view.theme}, ${view.viewport}`)

/** The label of a check's kind. */
export const checkLabel = ({ kind }: Check) => checkLabels.get(kind) ?? capital(kind)

const checkLabels = new Map([
  ['endpoint', 'Endpoint'],
  ['page', 'Opened'],
  ['landmarks', 'Landmarks and heading'],
  ['console', 'Script errors'],
  ['requests', 'Requests of the page'],
  ['accessibility', 'Accessibility'],
  ['look', 'Look'],
])

/** "12 checks passed, 1 failed" */
export const tally = ({ passed, failed }: Pick<VerificationBrief, 'passed' | 'failed'>) =>
  `${plural(passed, 'check')} passed, ${failed} failed`

/** "0.12 %" from a share of 0.0012. */
export function percent(share: number) {
  if (share > 0 && share < 0.0001) return 'less than 0.01 %'
  const hundred = share * 100
  return `${Number(hundred.toFixed(hundred < 10 ? 2 : 1))} %`
}

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
