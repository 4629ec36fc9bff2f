/** The verification page, a route of this app. */
export const verificationPath = '/ai-verification'

export const runPath = (id: string) => `${verificationPath}/runs/${encodeURIComponent(id)}`

/** A badge for a README; outside the generated client, because it is SVG. */
export const badgePath = '/api/verification/badges/status.svg'
