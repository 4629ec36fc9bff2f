import type { Schemas } from '@/api/client'
import { handle } from '@/lib/handle'

/** The user's name in the header. Users with only an address have no name. */
export const nameOf = ({ user }: Schemas['AuthStatus']) => (user?.username ? handle(user.username) : 'Logged in')
