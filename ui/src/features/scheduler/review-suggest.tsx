import { TextInput } from '@mantine/core'

import { FormError } from '@/components/form-error'
import { TextField } from '@/components/post-text-field'
import { useFocusOnMount } from '@/lib/use-focus-on-mount'

import { TwoTexts } from './composer-compare'
import type { StepProps } from './review-choices'
import { ReviewStep } from './review-step'

const longest = 500

type Props = StepProps & {
  written: string
  suggestion: string
  onSuggestion: (text: string) => void
  reason: string
  onReason: (reason: string) => void
  onSend: () => void
}

/** Suggests another text for approval. The member accepts it or not. */
export function ReviewSuggest({ written, suggestion, onSuggestion, reason, onReason, error, ...step }: Props) {
  const field = useFocusOnMount<HTMLTextAreaElement>()
  const nothing = suggestion.trim() === '' || suggestion === written
  return (
    <ReviewStep {...step} label="Suggest this text" disabled={nothing}>
      <TextField ref={field} label="Your text" value={suggestion} onChange={onSuggestion} />
      <TwoTexts
        left={{ title: 'As it was written', text: written }}
        right={{ title: 'As you suggest it', text: suggestion }}
      />
      <TextInput
        label="Why, if you like"
        maxLength={longest}
        value={reason}
        onChange={(event) => onReason(event.currentTarget.value)}
      />
      <FormError error={error} />
    </ReviewStep>
  )
}
