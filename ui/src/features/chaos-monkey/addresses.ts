/** Addresses that no generated client knows: they answer something else than JSON. */

/** All runs, as a file for a spreadsheet. */
export const csvPath = '/api/chaos/runs.csv'

/** A run as Server-Sent Events: `event`, `probe`, and at last `end` with the whole of it. */
export const eventsPath = (id: string) => `/api/chaos/runs/${encodeURIComponent(id)}/events`

/** The page of a run; it is ours, and the router knows it. */
export const runPath = (id: string) => `/chaos-monkey/runs/${encodeURIComponent(id)}`

export type BadgeName = 'score' | 'last-heal'

export const badgePath = (name: BadgeName) => `/api/chaos/badges/${name}.svg`
