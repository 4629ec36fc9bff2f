import { Alert, Stack } from '@mantine/core'
import type { ReactNode } from 'react'

import { ApiError, errorText, type Schemas } from '@/api/client'
import { CopyText } from '@/components/copy-text'
import { FormError } from '@/components/form-error'

/**
 * For mutations whose result must be handled even if the form is unmounted, which `mutate` does not do. The
 * form shows a refusal, so nothing else handles it.
 */
export const inTheForm = () => {}

type Place = 'text' | 'time' | 'form'

const atTime = ['date_invalid', 'date_past', 'date_too_far', 'timezone_unknown']
const elsewhere = ['date_ambiguous', 'conflict'] // they are asked about, not only told

const codeOf = (error: Error | null) => (error instanceof ApiError ? error.code : '')

export const isConflict = (error: Error | null) => codeOf(error) === 'conflict'

export const isPast = (error: Error | null) => codeOf(error) === 'date_past'

function placeOf(code: string): Place {
  if (code.startsWith('text_')) return 'text'
  return atTime.includes(code) ? 'time' : 'form'
}

type Check = { said: Schemas['PostCheck'] | undefined; current: boolean }

/** The error of a field: of the last submit, or of the check. */
export function fieldError(place: Place, error: Error | null, { said, current }: Check): ReactNode {
  const problem = current ? said?.problem : undefined
  if (error && placeOf(codeOf(error)) === place) return <span role="alert">{errorText(error)}</span>
  if (error || problem === undefined || problem.code === 'text_empty') return undefined
  return whereProblem(problem.code) === place ? problem.message : undefined
}

const whereProblem = (code: string) => (code === 'date_ambiguous' ? 'time' : placeOf(code))

/** Explains a refusal that no field shows. The text of a post that is being sent, or is gone, can be copied. */
export function Refusal({ error, content }: { error: Error | null; content: string }) {
  const code = codeOf(error)
  if (error === null || placeOf(code) !== 'form' || elsewhere.includes(code)) return null
  if (code !== 'post_armed' && code !== 'post_closed' && code !== 'not_found') return <FormError error={error} />
  return (
    <Alert color="red" variant="outline" title="Your change was not saved">
      <Stack gap="xs" align="flex-start">
        {errorText(error)}
        <CopyText text={content} what="your text" />
      </Stack>
    </Alert>
  )
}
