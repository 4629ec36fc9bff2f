import { useMemo } from 'react'

import type { Post } from '@/api/posts'
import { useSession } from '@/api/session'
import { handle } from '@/lib/handle'

type Sponsored = Pick<Post, 'member'>

/** What one may do here. The server decides; this spares people controls that it would refuse. */
export function useMay() {
  const { session, role } = useSession()
  const name = session?.user?.username
  // The same for the same person: a month of cards asks, and is not to be drawn anew for it.
  return useMemo(() => {
    const isMine = ({ member: { username } }: Sponsored) =>
      username !== undefined && name !== undefined && same(username, name)
    return {
      write: role !== 'visitor',
      change: (it: Sponsored) => role === 'founder' || (role === 'member' && isMine(it)),
    }
  }, [role, name])
}

// X does not tell capitals from small letters in names.
const same = (a: string, b: string) => handle(a).toLowerCase() === handle(b).toLowerCase()
