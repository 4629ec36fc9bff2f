import { ApiError } from '@/api/client'

/** The run does not exist, or the address is not a valid ID. */
export const isUnknown = (error: Error | null) =>
  error instanceof ApiError && (error.status === 404 || error.status === 422)
