import type { Detail, Move } from './words'

type To = Move['to']

/** The label of a status change. */
export function moveLabel(to: To, { status }: Pick<Detail, 'status'>) {
  if (to === 'declined' && status !== 'waiting') return 'Give it up'
  if (to === 'active' && status === 'testing') return 'Back to active'
  return labels[to]
}

const labels: Record<To, string> = {
  planning: 'Approve',
  active: 'Start',
  testing: 'Start testing',
  completed: 'Complete',
  shipped: 'Mark as shipped',
  declined: 'Decline',
}

/** Explains why a change is irreversible; null if it is not. */
export function moveWarning(to: To, { status, metric }: Pick<Detail, 'status' | 'metric'>) {
  if (to === 'active') return status === 'planning' ? startWarning(metric) : null
  if (to === 'declined') return `${declineWarning[status === 'waiting' ? 'idea' : 'experiment']} ${final}`
  return to === 'completed' || to === 'shipped' ? `${endings[to]} ${final}` : null
}

const final = 'This cannot be taken back.'

const startWarning = (metric: Detail['metric']) =>
  metric === ''
    ? 'Its days are counted from now on, and no metric can be registered any more.'
    : 'Its days are counted from now on, and what was promised cannot be changed any more.'

const endings = {
  completed: 'Its votes are counted by its run, and stay as they are.',
  shipped: 'Everybody reads that what it showed is part of the product.',
}

const declineWarning = {
  idea: 'It never becomes public.',
  experiment: 'It ends, and everybody reads why.',
}
