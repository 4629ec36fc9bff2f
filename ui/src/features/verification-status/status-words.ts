import type { VerificationStatus } from '@/api/verification'
import { plural } from '@/lib/plural'

/** "100 %", or "none yet" without a rate. */
export const rateText = (rate: number | undefined) => (rate === undefined ? 'none yet' : `${Number(rate.toFixed(1))} %`)

/** "Every 15 minutes" from 900 seconds. */
export function rhythmText(everySeconds: number) {
  if (everySeconds <= 0) return 'Only on demand'
  if (everySeconds % 3_600 === 0) return every(everySeconds / 3_600, 'hour')
  return everySeconds % 60 === 0 ? every(everySeconds / 60, 'minute') : every(everySeconds, 'second')
}

const every = (n: number, unit: string) => `Every ${n === 1 ? unit : plural(n, unit)}`

/** "Ready: Chromium 156.0.8078.79", or why not and what to do. */
export function browserText({ ready, message = '', version = '' }: VerificationStatus['browser']) {
  if (ready) return version === '' ? 'Ready' : `Ready: ${version}`
  return message === '' ? 'Not available. Nobody has said why.' : `Not available. ${message}`
}

const longest = 160

/** The start of an AI review, cut between words. */
export function cutComment(text: string) {
  const whole = text.trim()
  if (whole.length <= longest) return whole
  const cut = whole.slice(0, longest)
  return `${cut.replace(/\s+\S*$/, '').replace(/[,;:.\s]+$/, '')}…`
}
