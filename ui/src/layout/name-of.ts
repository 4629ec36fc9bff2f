import type { Schemas } from '@/api/client'
import { handle } from '@/lib/handle'

/** What the header calls somebody. Who has an address alone has no name yet. */
export const nameOf = ({ user }: Schemas['AuthStatus']) => (user?.username ? handle(user.username) : 'Logged in')
