import { Stack } from '@mantine/core'
import { useState } from 'react'

import type { Post } from '@/api/posts'

import { isConflict } from './composer-errors'
import { ReviewChanged } from './review-changed'
import { ReviewChoices } from './review-choices'
import { useDecision } from './review-decision'
import { ReviewReject } from './review-reject'
import { ReviewSuggest } from './review-suggest'
import { ReviewTime } from './review-time'

type Mode = 'choose' | 'reject' | 'suggest' | 'time'

type Props = { post: Post; onDone: () => void }

/** A founder's decision on a member's post: approve, reject or suggest another text. */
export function ReviewForm({ post: shown, onDone }: Props) {
  const [mode, setMode] = useState<Mode>('choose')
  const [returned, setReturned] = useState(false)
  const onPast = () => mode !== 'time' && change('time')
  const { post, review, decide, read } = useDecision({ shown, onDone, onPast })
  const [reason, setReason] = useState('')
  const [typed, setTyped] = useState<string | null>(null)
  const suggestion = typed ?? post.content

  function change(next: Mode) {
    review.reset()
    setReturned(next === 'choose')
    setMode(next)
  }
  if (isConflict(review.error)) return <ReviewChanged post={post} onRead={read} />

  const step = { pending: review.isPending, error: review.error, onBack: () => change('choose') }
  const why = { reason, onReason: setReason }
  return (
    <Stack gap="sm">
      {mode === 'choose' && (
        <ReviewChoices {...step} focused={returned} onApprove={() => decide({ decision: 'approve' })} onMode={change} />
      )}
      {mode === 'reject' && <ReviewReject {...step} {...why} onSend={() => decide({ decision: 'reject', reason })} />}
      {mode === 'time' && (
        <ReviewTime {...step} label="Approve" onSend={(at) => decide({ decision: 'approve', ...at })} />
      )}
      {mode === 'suggest' && (
        <ReviewSuggest
          {...step}
          {...why}
          written={post.content}
          suggestion={suggestion}
          onSuggestion={setTyped}
          onSend={() => decide({ decision: 'suggest', suggestion, ...(reason !== '' && { reason }) })}
        />
      )}
    </Stack>
  )
}
