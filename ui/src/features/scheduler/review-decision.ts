import { useState } from 'react'

import type { Schemas } from '@/api/client'
import { type Post, useReviewPost } from '@/api/posts'
import { notifyDone } from '@/components/notify'
import { localTime } from '@/lib/time'

import { isPast } from './composer-errors'

type Decision = Omit<Schemas['ReviewDecision'], 'version'>

type Input = { shown: Post; onDone: () => void; onPast: () => void }

/** Sends a founder's decision on the version that was shown, here or in the list. */
export function useDecision({ shown, onDone, onPast }: Input) {
  const [reread, setReread] = useState<Post | null>(null)
  const post = reread !== null && reread.version > shown.version ? reread : shown
  const review = useReviewPost()

  function decide(decision: Decision) {
    if (review.isPending) return
    const onSuccess = (reply: { post: Post }) => {
      notifyDone(said[decision.decision](reply.post))
      onDone()
    }
    const onError = (error: Error) => isPast(error) && onPast()
    // A promise, because the list may unmount this form before the response arrives.
    void review.mutateAsync({ id: post.id, version: post.version, ...decision }).then(onSuccess, onError)
  }
  function read(now: Post) {
    setReread(now)
    review.reset()
  }
  return { post, review, decide, read }
}

const said: Record<Decision['decision'], (post: Post) => string> = {
  approve: ({ scheduledAt }) => `Approved. It goes out ${localTime(scheduledAt)}.`,
  reject: () => 'Rejected. Its member is told why.',
  suggest: () => 'Suggested. Its member decides what goes out.',
}
