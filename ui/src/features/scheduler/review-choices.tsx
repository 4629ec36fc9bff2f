import { Button, Group } from '@mantine/core'

import { FormError } from '@/components/form-error'
import { useFocusOnMount } from '@/lib/use-focus-on-mount'

/** The props of every step of a decision. */
export type StepProps = { pending: boolean; error: Error | null; onBack: () => void }

type Props = StepProps & { focused: boolean; onApprove: () => void; onMode: (mode: 'reject' | 'suggest') => void }

/** The three decisions. Returning to them focuses the first. */
export function ReviewChoices({ focused, pending, error, onApprove, onMode }: Props) {
  const first = useFocusOnMount<HTMLButtonElement>()
  return (
    <>
      <Group gap="xs">
        <Button ref={focused ? first : undefined} size="compact-sm" loading={pending} onClick={onApprove}>
          Approve
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => onMode('suggest')}>
          Suggest another text
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => onMode('reject')}>
          Reject
        </Button>
      </Group>
      <FormError error={error} />
    </>
  )
}
