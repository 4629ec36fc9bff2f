import { Textarea } from '@mantine/core'

import { weightedLength } from '@/lib/weighted-length'

const limit = 280
const warning = 250

type Props = { value: string; onChange: (value: string) => void }

/** The text of a post. The counter helps; the server decides. */
export function TextField({ value, onChange }: Props) {
  const length = weightedLength(value)
  return (
    <Textarea
      label="Text"
      description={
        <span className="numbers" style={{ color: counterColor(length) }} data-testid="counter">
          About {length} of {limit} characters, counted as X does{length > limit && ': too long'}
        </span>
      }
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      rows={6}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data-autofocus
    />
  )
}

function counterColor(length: number) {
  if (length > limit) return 'var(--mantine-color-error)'
  return length > warning ? 'var(--cz-warning)' : 'var(--mantine-color-dimmed)'
}
