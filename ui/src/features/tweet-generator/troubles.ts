import { ApiError, errorText } from '@/api/client'

// Every refusal of our server has an id; one without it comes from something in between,
// and has no sentence for people.
const said = (error: ApiError) => error.requestId !== ''

/** Why there is no text. */
export function generationTrouble(error: Error) {
  if (!(error instanceof ApiError)) return 'Error generating tweet. Please try again.'
  return said(error) ? errorText(error) : noText
}

/** For a model that failed and did not say why. */
export const noText = 'Failed to generate tweet. Please try again.'

/** Why a text was not posted. */
export function postingTrouble(error: Error) {
  if (!(error instanceof ApiError)) return 'Error posting tweet. Please try again.'
  return notPosted(said(error) ? errorText(error) : undefined)
}

export const notPosted = (reason: string | undefined) => `Failed to post tweet: ${reason || 'Unknown error'}`
