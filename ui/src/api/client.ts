import createClient from 'openapi-fetch'

import type { components, paths } from './schema.gen'

export type Schemas = components['schemas']

/**
 * The one HTTP client. Every path, parameter and body is checked against openapi.yaml. The
 * browser adds the session's cookie by itself.
 */
export const api = createClient<paths>({
  baseUrl: location.origin,
  fetch: (request) => fetch(request), // looked up on each call, so that tests can intercept it
})

/** A problem the server told us about: `code` is for code, `message` is for people. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly requestId: string
  readonly details: Schemas['Problem']['details']
  /** When it may be tried again, in milliseconds since 1970; not a number where nobody knows. */
  readonly retryAt: number

  constructor(status: number, problem: Partial<Schemas['Problem']>, retryAfter: string | null = null) {
    super(problem.error ?? `The server answered ${status} without saying why.`)
    this.status = status
    this.code = problem.code ?? 'internal'
    this.requestId = problem.request_id ?? ''
    this.details = problem.details ?? []
    this.retryAt = Date.parse(retryAfter ?? '')
  }
}

/** What to tell a person; our own failures come with the id that finds them in the logs. */
export function errorText(error: Error) {
  if (!(error instanceof ApiError)) return 'The server cannot be reached.'
  return error.status >= 500 && error.requestId !== ''
    ? `${error.message} Request id: ${error.requestId}`
    : error.message
}

/** Waits for an answer and hands over its data, or throws its problem. */
export async function answer<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call
  if (data !== undefined) return data
  throw new ApiError(response.status, isProblem(error) ? error : {}, response.headers.get('Retry-After'))
}

// A proxy in between may answer with a page of its own.
const isProblem = (body: unknown): body is Schemas['Problem'] =>
  typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string'
