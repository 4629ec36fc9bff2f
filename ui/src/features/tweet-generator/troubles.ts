import { ApiError, errorText } from '@/api/client'

// Every refusal by our server has a request ID; a response without one comes from a proxy, and its message
// is not for users.
const said = (error: ApiError) => error.requestId !== ''

/** Explains why there is no text. */
export function generationTrouble(error: Error) {
  if (!(error instanceof ApiError)) return 'Error generating tweet. Please try again.'
  return said(error) ? errorText(error) : noText
}

/** For a model that failed without a message. */
export const noText = 'Failed to generate tweet. Please try again.'

/** Explains why a text was not posted. */
export function postingTrouble(error: Error) {
  if (!(error instanceof ApiError)) return 'Error posting tweet. Please try again.'
  return notPosted(said(error) ? errorText(error) : undefined)
}

export const notPosted = (reason: string | undefined) => `Failed to post tweet: ${reason || 'Unknown error'}`
