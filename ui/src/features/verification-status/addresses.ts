/** The page of verifications; the router knows it. */
export const verificationPath = '/ai-verification'

/** The page of one run. */
export const runPath = (id: string) => `${verificationPath}/runs/${encodeURIComponent(id)}`

/** A picture for a README elsewhere; no generated client knows it, for it answers SVG. */
export const badgePath = '/api/verification/badges/status.svg'
