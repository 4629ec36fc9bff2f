import createClient from 'openapi-fetch'

import type { components, paths } from './schema.gen'

export type Schemas = components['schemas']

/**
 * The only HTTP client. Paths, parameters and bodies are type-checked against openapi.yaml. The browser
 * adds the session cookie.
 */
export const api = createClient<paths>({
  baseUrl: location.origin,
  fetch: (request) => fetch(request), // read on each call, so that tests can replace it
})

/** A problem returned by the server: `code` is machine-readable, `message` is for people. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly requestId: string
  readonly details: Schemas['Problem']['details']
  /** The time after which a retry may succeed, in milliseconds since 1970; NaN if unknown. */
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

/** The text to show for an error. Internal errors include the request ID, which finds them in the logs. */
export function errorText(error: Error) {
  if (!(error instanceof ApiError)) return 'The server cannot be reached.'
  return error.status >= 500 && error.requestId !== ''
    ? `${error.message} Request id: ${error.requestId}`
    : error.message
}

/** Returns the data of a response, or throws its problem. */
export async function answer<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call
  if (data !== undefined) return data
  throw new ApiError(response.status, isProblem(error) ? error : {}, response.headers.get('Retry-After'))
}

// A proxy in between may return a page that is not a problem.
const isProblem = (body: unknown): body is Schemas['Problem'] =>
  typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string'
