import { useMemo } from 'react'

import type { Post } from '@/api/posts'
import { useSession } from '@/api/session'
import { handle } from '@/lib/handle'

type Sponsored = Pick<Post, 'member'>

/** The caller's permissions. The server decides; this hides controls that it would refuse. */
export function useMay() {
  const { session, role } = useSession()
  const name = session?.user?.username
  // Stable for the same session, so that a month of cards does not rerender.
  return useMemo(() => {
    const isMine = ({ member: { username } }: Sponsored) =>
      username !== undefined && name !== undefined && same(username, name)
    return {
      write: role !== 'visitor',
      change: (it: Sponsored) => role === 'founder' || (role === 'member' && isMine(it)),
    }
  }, [role, name])
}

// X handles are case-insensitive.
const same = (a: string, b: string) => handle(a).toLowerCase() === handle(b).toLowerCase()
