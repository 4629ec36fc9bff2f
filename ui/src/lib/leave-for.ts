/** Navigates to a URL outside the router. */
export type Leave = (address: string) => void

export const leaveFor: Leave = (address) => location.assign(address)
