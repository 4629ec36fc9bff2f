/** Leaves the app for an address that the router does not know. */
export type Leave = (address: string) => void

export const leaveFor: Leave = (address) => location.assign(address)
