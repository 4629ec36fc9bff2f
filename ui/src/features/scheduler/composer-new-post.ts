import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { type Post, useCreatePost } from '@/api/posts'
import { notifyDone } from '@/components/notify'
import { zonedTime } from '@/lib/time'

import type { KeptDraft } from './composer-draft'
import { inTheForm } from './composer-errors'
import { freeTimeQuery, useCheck } from './composer-queries'
import { firstTime } from './composer-time'
import type { When } from './composer-when'

export type NewPostInput = {
  draft: KeptDraft
  day: string | undefined
  candidateId: string | undefined
  timezone: string
  onDone: () => void
}

/** The fields of a new post, its check and the function that sends it. */
export function useNewPost({ draft, day, candidateId, timezone, onDone }: NewPostInput) {
  const [when, setWhen] = useState<When>(day === undefined ? 'now' : 'at')
  const [time, setTime] = useState(() => firstTime(day, timezone))
  const [member, setMember] = useState('')
  const [withAi, setWithAi] = useState(false)
  const create = useCreatePost()
  const check = useNewPostCheck(draft.content, when, time)
  const empty = draft.content.trim() === ''

  /** `exact` is one of the two instants of an ambiguous time. */
  function send(kind: 'post' | 'draft', exact?: string) {
    if (create.isPending || empty) return
    const body = {
      content: draft.content,
      madeWithAi: withAi,
      ...(when === 'at' && { ...time, ...(exact && { scheduledAt: exact }) }),
      ...(when === 'queue' && kind === 'post' && { queue: true }),
      ...(kind === 'draft' && { draft: true }),
      ...(member !== '' && { member }),
      ...(candidateId !== undefined && { candidateId }),
    }
    const onSuccess = ({ post }: { post: Post }) => {
      draft.forget()
      notifyDone(accepted(post, when, timezone))
      onDone()
    }
    void create.mutateAsync(body).then(onSuccess, inTheForm)
  }

  const fields = { when, setWhen, time, setTime, member, setMember, withAi, setWithAi }
  return { ...fields, check, empty, create, send }
}

// A post for the queue is checked at the time that it will probably get.
function useNewPostCheck(content: string, when: When, time: { scheduledAt: string; timezone: string }) {
  const { data: free } = useQuery(freeTimeQuery)
  const next = free?.times[0]
  const planned = when === 'at' ? time : when === 'queue' && next ? { scheduledAt: next } : {}
  return useCheck({ content, ...planned }, content.trim() !== '' || when === 'at')
}

function accepted({ status, review, scheduledAt }: Post, when: When, timezone: string) {
  if (review?.state === 'requested') return 'A founder has been asked. Nothing goes out until they approve it.'
  if (status === 'draft') return 'The draft is kept. It goes out when you schedule it.'
  if (status === 'published') return 'Published.'
  return when === 'now' ? 'Accepted: the post goes out now.' : `Scheduled for ${zonedTime(scheduledAt, timezone)}.`
}
