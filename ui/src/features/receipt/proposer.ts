import type { Schemas } from '@/api/client'

// Why a model's call returned no price.
const fallbacks = new Map([
  ['timed_out', 'did not answer in time'],
  ['failed', 'could not be reached, or failed'],
  ['malformed', 'did not answer in the form it was asked for'],
  ['overlong', 'answered with more than we read'],
  ['forbidden', 'did not accept our key'],
  ['quota', 'takes no more calls from us for now'],
])

type Receipt = Pick<Schemas['Receipt'], 'source' | 'fallback' | 'model' | 'proposed_percent'>

/** The author of the discount, in a sentence. */
export function proposer({ source, fallback, model, proposed_percent: percent }: Receipt) {
  switch (source) {
    case 'model':
      return `The model ${model?.name ?? ''} proposed ${percent} % off. Its prompt ${model?.prompt ?? ''} and its answer are below.`
    case 'rules':
      return `Our fixed rules proposed ${percent} % off${fallback ? `, because the model ${fallbacks.get(fallback) ?? 'was no help'}` : ''}.`
    case 'list':
      return 'Nobody proposed a discount: this is the list price.'
    case '':
      return 'Nobody has proposed a price yet.'
  }
}
