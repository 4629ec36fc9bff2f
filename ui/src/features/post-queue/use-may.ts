import { useSession } from '@/api/session'
import { handle } from '@/lib/handle'

import type { Post } from './queries'

/** What one may do here. The server decides; this spares people controls that it would refuse. */
export function useMay() {
  const { session, role } = useSession()
  const name = session?.user?.username
  const isMine = ({ member: { username } }: Post) =>
    username !== undefined && name !== undefined && same(username, name)
  return {
    write: role !== 'visitor',
    change: (post: Post) => role === 'founder' || (role === 'member' && isMine(post)),
  }
}

// X does not tell capitals from small letters in names.
const same = (a: string, b: string) => handle(a).toLowerCase() === handle(b).toLowerCase()
