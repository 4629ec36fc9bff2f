import type { ChaosEvent } from './queries'

export type Verdict = NonNullable<ChaosEvent['verdict']>
export type Stage = ChaosEvent['stage']

type Style = { label: string; color: string }

// Records, so that a new value in openapi.yaml does not compile without an entry.
export const verdictStyle: Record<Verdict, Style> = {
  healed: { label: 'Healed in time', color: 'green' },
  healed_late: { label: 'Healed late', color: 'orange' },
  failed: { label: 'Not healed', color: 'red' },
  aborted: { label: 'Not carried out', color: 'gray' },
}

export const stageStyle: Record<Stage, Style> = {
  requested: { label: 'Asked for', color: 'gray' },
  checking: { label: 'Checking the chaos target first', color: 'blue' },
  breaking: { label: 'Breaking the chaos target', color: 'red' },
  watching: { label: 'Watching it heal', color: 'violet' },
  ended: { label: 'Ended', color: 'gray' },
}

export const askerLabel: Record<ChaosEvent['requestedBy'], string> = {
  visitor: 'a visitor',
  member: 'a member',
  founder: 'a founder',
  schedule: 'the game day',
}

/** "0.3 s" from 312; below a tenth of a second in milliseconds. */
export function seconds(ms: number) {
  return Math.abs(ms) < 100 ? `${ms} ms` : `${Number((ms / 1_000).toFixed(1))} s`
}

/** "2 s", the promised time to heal. */
export const promise = ({ promiseMs }: Pick<ChaosEvent, 'promiseMs'>) => seconds(promiseMs)

type Told = Pick<ChaosEvent, 'stage' | 'verdict' | 'reason' | 'restored' | 'promiseMs' | 'detectMs' | 'healMs'>

/** The result of a run in a sentence: "Detected after 0.3 s, healed after 0.9 s: within the promised 2 s." */
export function describeEvent(event: Told) {
  if (event.verdict === undefined) return stageSentence[event.stage]
  return verdictSentence[event.verdict](event)
}

const stageSentence: Record<Stage, string> = {
  requested: 'Requested. It starts in a moment.',
  checking: 'Checking that the chaos target is healthy.',
  breaking: 'Injecting the fault.',
  watching: 'The fault is injected. Probes run until all checks pass again.',
  ended: 'The run has ended.',
}

const verdictSentence: Record<Verdict, (event: Told) => string> = {
  healed: (event) => `${times(event)}: within the promised ${promise(event)}.`,
  healed_late: (event) => `${times(event)}: later than the promised ${promise(event)}.`,
  failed: ({ reason, restored }) =>
    `It was not healed in time. ${sentence(reason)}${restored ? 'The chaos target is well again.' : 'The chaos target was still broken when the run ended.'}`,
  aborted: ({ reason }) => `Nothing came of it. ${sentence(reason)}`.trim(),
}

const sentence = (reason: string | undefined) => (reason === undefined || reason === '' ? '' : `${reason} `)

function times({ detectMs, healMs }: Told) {
  const healed = healMs === undefined ? 'healed' : `healed after ${seconds(healMs)}`
  return detectMs === undefined ? capital(healed) : `Detected after ${seconds(detectMs)}, ${healed}`
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
