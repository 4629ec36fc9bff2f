import type { Schemas } from '@/api/client'

export type Role = Schemas['AuthStatus']['role']

/** What somebody who is logged in is called. */
export const roleName: Record<Role, string> = { founder: 'Founder', member: 'Member', visitor: 'No membership' }
