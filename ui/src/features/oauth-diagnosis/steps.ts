/** The steps of a login with X, in order. The server tests all but the last one. */
export const steps = [
  { id: 'env', name: 'Environment Check' },
  { id: 'signature', name: 'Signature Generation' },
  { id: 'request_token', name: 'Request Token' },
  { id: 'redirect', name: 'Authorization Redirect' },
] as const

export type StepId = (typeof steps)[number]['id']
export type AskedStep = Exclude<StepId, 'redirect'>
export type StepState = 'pending' | 'running' | 'completed' | 'error'
