import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'

import { answer, api } from '@/api/client'
import type { Post } from '@/api/posts'

type Text = { content: string; candidateId?: string }

/** A generated text is sent with its ID, so that the post names the model or template; the user's own text is not. */
async function send({ content, candidateId }: Text) {
  if (candidateId === undefined) return (await answer(api.POST('/tweet', { body: { content } }))).post
  return (await answer(api.POST('/api/posts', { body: { content, candidateId } }))).post
}

/** Being sent, without anything that delays it. */
const inFlight = ({ status, reason }: Post) =>
  status === 'armed' || (status === 'scheduled' && (reason === undefined || reason === ''))

const mayMove = ({ status }: Post) => status === 'armed' || status === 'scheduled'

const postQuery = (post: Post | undefined) =>
  queryOptions({
    queryKey: ['posts', 'one', post?.id],
    queryFn: ({ signal }) => answer(api.GET('/api/posts/{id}', { params: { path: { id: post?.id ?? '' } }, signal })),
    enabled: post !== undefined && mayMove(post),
    refetchInterval: ({ state: { data, error } }) => {
      if (data !== undefined && !mayMove(data)) return false
      return error !== null || (data !== undefined && !inFlight(data)) ? 5_000 : 500
    },
  })

/** Posts now and follows the post until it is final. `onSafe` is called once the server has stored the text. */
export function usePosting(onSafe: () => void) {
  const queryClient = useQueryClient()
  const sending = useMutation({ mutationFn: send })
  const followed = useQuery(postQuery(sending.data))
  const post = sending.data && (followed.data ?? sending.data)
  const settled = post !== undefined && !inFlight(post)
  const safe = settled && post.status !== 'failed' && post.status !== 'unknown'
  const tell = useRef(onSafe)
  useEffect(() => {
    tell.current = onSafe
  })
  useEffect(() => {
    if (safe) tell.current()
    if (settled) void queryClient.invalidateQueries()
  }, [safe, settled, queryClient])
  return {
    post: sending.isPending ? undefined : post,
    error: sending.error,
    pending: sending.isPending || (post !== undefined && inFlight(post)),
    send: (text: Text) => sending.mutate(text),
  }
}
