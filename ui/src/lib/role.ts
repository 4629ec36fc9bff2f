import type { Schemas } from '@/api/client'

export type Role = Schemas['AuthStatus']['role']

/** The label of each role. */
export const roleName: Record<Role, string> = { founder: 'Founder', member: 'Member', visitor: 'No membership' }
