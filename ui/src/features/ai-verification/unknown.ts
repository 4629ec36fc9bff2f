import { ApiError } from '@/api/client'

/** There is no such run any more, or the address cannot name one. */
export const isUnknown = (error: Error | null) =>
  error instanceof ApiError && (error.status === 404 || error.status === 422)
