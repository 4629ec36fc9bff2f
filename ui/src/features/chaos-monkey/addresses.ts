/** URLs outside the generated client, because they do not return JSON. */

/** All runs as CSV. */
export const csvPath = '/api/chaos/runs.csv'

/** A run as Server-Sent Events: `event`, `probe` and, at the end, `end` with the whole run. */
export const eventsPath = (id: string) => `/api/chaos/runs/${encodeURIComponent(id)}/events`

/** A run's page, a route of this app. */
export const runPath = (id: string) => `/chaos-monkey/runs/${encodeURIComponent(id)}`

export type BadgeName = 'score' | 'last-heal'

export const badgePath = (name: BadgeName) => `/api/chaos/badges/${name}.svg`
