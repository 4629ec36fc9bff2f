import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'

import { answer, api } from '@/api/client'
import type { Post } from '@/api/posts'

import { cachedPost, showPost } from './cached-posts'

/** A post, its new time in the API's form, and the expected instant. */
export type Move = { post: Post; scheduledAt: string; timezone?: string; expected: string }

const key = ['move-post']

/**
 * Moves a post optimistically and reverts if the server refuses. Moves are sent one after the other, each
 * with the version returned by the previous one.
 */
export function useMovePost() {
  const queryClient = useQueryClient()
  const made = useRef(new Map<string, number>())
  return useMutation({
    mutationKey: key,
    scope: { id: 'move-post' },
    onMutate: async ({ post, expected }: Move) => {
      await queryClient.cancelQueries({ queryKey: ['schedule'] }) // or an older answer would put it back
      const before = cachedPost(queryClient, post.id) ?? post
      showPost(queryClient, { ...before, scheduledAt: expected })
      return { before }
    },
    mutationFn: ({ post, scheduledAt, timezone }: Move) => {
      const version = Math.max(post.version, made.current.get(post.id) ?? 0)
      const body = { scheduledAt, version, ...(timezone !== undefined && { timezone }) }
      return answer(api.PATCH('/api/posts/{id}', { params: { path: { id: post.id } }, body }))
    },
    onSuccess: ({ post }) => {
      made.current.set(post.id, post.version)
      if (pending(queryClient, post.id) === 1) showPost(queryClient, post)
    },
    onError: (_error, { post }, context) => {
      if (context && pending(queryClient, post.id) === 1) showPost(queryClient, context.before)
    },
    // After the last move only, so that no intermediate response is shown.
    onSettled: () => {
      if (queryClient.isMutating({ mutationKey: key }) === 1) void queryClient.invalidateQueries()
    },
  })
}

// A mutation that is ending still counts as pending.
const pending = (queryClient: QueryClient, id: string) =>
  queryClient
    .getMutationCache()
    .findAll({ mutationKey: key, status: 'pending' })
    .filter(({ state }) => (state.variables as Move | undefined)?.post.id === id).length
