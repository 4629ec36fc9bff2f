import { Textarea } from '@mantine/core'
import type { ReactNode, Ref } from 'react'

import { weightedLength } from '@/lib/weighted-length'

import { IconCross, IconWarning } from './icons'

const limit = 280
const warning = 250

type Props = {
  value: string
  onChange: (value: string) => void
  label?: string
  error?: ReactNode
  /** The length counted by the server, if known. */
  weight?: number | undefined
  ref?: Ref<HTMLTextAreaElement>
}

/** The text of a post. The counter is an estimate; the server decides. */
export function TextField({ value, onChange, label = 'Text', error, weight, ref }: Props) {
  return (
    <Textarea
      ref={ref}
      label={label}
      description={<Counter length={weight ?? weightedLength(value)} counted={weight !== undefined} />}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      rows={6}
      value={value}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
      data-autofocus
    />
  )
}

function Counter({ length, counted }: { length: number; counted: boolean }) {
  const tooLong = length > limit
  const Icon = tooLong ? IconCross : length > warning ? IconWarning : null
  return (
    <span className="numbers" style={{ color: counterColor(length) }} data-testid="counter">
      {Icon && <Icon size={14} />} {counted ? '' : 'About '}
      {length} of {limit} characters, counted as X does{tooLong && ': too long'}
      {!tooLong && length > warning && `: ${limit - length} left`}
    </span>
  )
}

function counterColor(length: number) {
  if (length > limit) return 'var(--mantine-color-error)'
  return length > warning ? 'var(--cz-warning)' : 'var(--mantine-color-dimmed)'
}
