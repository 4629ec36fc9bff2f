import type { Experiment } from '@/api/experiments'

const isNumber = (id: string) => /^\d+$/.test(id)

/** "EXPERIMENT #001: title"; ideas that were never approved have no number. */
export const fullTitle = ({ id, title }: Pick<Experiment, 'id' | 'title'>) =>
  isNumber(id) ? `EXPERIMENT #${id}: ${title}` : `IDEA: ${title}`

/** "Day 3, 60% complete" */
export const dayText = ({ day_count, progress }: Pick<Experiment, 'day_count' | 'progress'>) =>
  `Day ${day_count}, ${progress}% complete`

export const detailPath = (slug: string) => `/experiments/${encodeURIComponent(slug)}`

/** The element ID of an experiment's card. */
export const cardId = (id: string) => `experiment-${id}`

/** Whether `name` is the slug, the ID or the number without zeros of this experiment. */
export const isNamed = ({ id, slug }: Pick<Experiment, 'id' | 'slug'>, name: string) =>
  name === slug || name === id || (isNumber(name) && isNumber(id) && Number(name) === Number(id))
