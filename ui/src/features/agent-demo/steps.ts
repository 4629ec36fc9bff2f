/** The steps of the loop, in order. Each step of a real run maps to one of them. */
export const steps = [
  { stage: 'notice', title: 'Notice', says: 'Something comes in: a request, a time, a probe that failed.' },
  { stage: 'plan', title: 'Plan', says: 'What is to be done, and when. A model may propose; code decides.' },
  { stage: 'guard', title: 'Guard', says: 'Limits are held: a slot, a budget, a lease. Without one, nothing goes on.' },
  { stage: 'act', title: 'Act', says: 'One call to the world outside, written down before it is made.' },
  { stage: 'check', title: 'Check', says: 'Look at what really happened, before anything is tried again.' },
  { stage: 'record', title: 'Record', says: 'The result is a row that names its run, for everybody to open.' },
] as const

export type Stage = (typeof steps)[number]['stage']

export const stepMs = 1_500

/** The number of rounds. */
export const rounds = 3

export const indexOf = (stage: string) =>
  Math.max(
    0,
    steps.findIndex((step) => step.stage === stage),
  )
