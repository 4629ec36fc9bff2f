import { Textarea } from '@mantine/core'

import { FormError } from '@/components/form-error'
import { useFocusOnMount } from '@/lib/use-focus-on-mount'

import type { StepProps } from './review-choices'
import { ReviewStep } from './review-step'

const longest = 500

type Props = StepProps & { reason: string; onReason: (reason: string) => void; onSend: () => void }

/** Rejects a post with a reason, which its member sees. */
export function ReviewReject({ reason, onReason, error, ...step }: Props) {
  const field = useFocusOnMount<HTMLTextAreaElement>()
  return (
    <ReviewStep {...step} label="Reject the post" disabled={reason.trim() === ''}>
      <Textarea
        ref={field}
        label="Why not?"
        description="Its member reads this"
        required
        rows={3}
        maxLength={longest}
        value={reason}
        onChange={(event) => onReason(event.currentTarget.value)}
      />
      <FormError error={error} />
    </ReviewStep>
  )
}
