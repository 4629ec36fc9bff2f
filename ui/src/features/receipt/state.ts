import type { Schemas } from '@/api/client'

export type State = Schemas['Receipt']['state']

/** Whether it can still be paid. */
export const isLive = (state: State) => state === 'quoting' || state === 'open'

/** Whether its state may change: a payment without a membership is refunded, or a founder adds its email address. */
export const mayChange = ({ state, reason }: Schemas['Receipt']) =>
  isLive(state) || (state === 'paid' && reason !== undefined)

/** The label and meaning of each state. */
export const states: Record<State, { label: string; color: string; meaning: string }> = {
  quoting: { label: 'being prepared', color: 'blue', meaning: 'The price is being decided.' },
  open: { label: 'not paid yet', color: 'blue', meaning: 'The page to pay on is open.' },
  paid: { label: 'paid', color: 'green', meaning: 'It was paid.' },
  expired: { label: 'expired', color: 'gray', meaning: 'Nobody paid in time, so nothing was charged.' },
  cancelled: { label: 'cancelled', color: 'gray', meaning: 'It was given up, and nothing was charged.' },
  failed: { label: 'failed', color: 'red', meaning: 'There was no page to pay on, and nothing was charged.' },
  refunded: { label: 'refunded', color: 'orange', meaning: 'It was paid, and the money went back.' },
}
