import { useState } from 'react'

import { type Post, useChangePost } from '@/api/posts'
import { notifyDone } from '@/components/notify'
import { wallTime } from '@/components/time-field'
import { zonedTime } from '@/lib/time'

import type { KeptDraft } from './composer-draft'
import { inTheForm } from './composer-errors'
import { useCheck } from './composer-queries'

export type Outcome = 'save' | 'schedule'

export type ChangeInput = { post: Post; draft: KeptDraft; timezone: string; onDone: () => void }

/** The fields of an existing post, its changes, and the function that sends them. */
export function usePostChange({ post, draft, timezone, onDone }: ChangeInput) {
  const shown = wallTime(new Date(post.scheduledAt), timezone)
  const [time, setTime] = useState(shown)
  const change = useChangePost()
  const moved = time.scheduledAt !== shown.scheduledAt || time.timezone !== shown.timezone
  const edited = draft.content !== post.content
  const check = useCheck(
    { content: draft.content, postId: post.id, ...(moved ? time : { scheduledAt: post.scheduledAt }) },
    draft.content.trim() !== '',
  )

  /** Sends the changes with the version that was edited; `exact` as for a new post. */
  function send(outcome: Outcome, { exact, version = draft.version ?? post.version }: SendOptions = {}) {
    if (change.isPending || draft.content.trim() === '') return
    const body = {
      id: post.id,
      version,
      ...(edited && { content: draft.content }),
      ...(moved && { ...time, ...(exact && { scheduledAt: exact }) }),
      ...(outcome === 'schedule' && { draft: false as const }),
    }
    const onSuccess = (reply: { post: Post }) => {
      draft.forget()
      notifyDone(saved(reply.post, moved || outcome === 'schedule', timezone))
      onDone()
    }
    void change.mutateAsync(body).then(onSuccess, inTheForm)
  }

  return { time, setTime, moved, edited, check, change, send }
}

type SendOptions = { exact?: string; version?: number }

function saved({ status, review, scheduledAt }: Post, timed: boolean, timezone: string) {
  if (review?.state === 'requested') return 'A founder has been asked. Nothing goes out until they approve it.'
  if (status === 'draft') return 'The draft is saved.'
  return timed ? `Scheduled for ${zonedTime(scheduledAt, timezone)}.` : 'The new text is saved.'
}
