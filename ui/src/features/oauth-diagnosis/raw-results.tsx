import { Code } from '@mantine/core'

import { ApiError } from '@/api/client'

import classes from './oauth-diagnosis.module.css'
import type { Run, Step } from './run'

/** The server's raw responses. Visitors see lengths only; founders see X's response without secrets. */
export function RawResults({ run }: { run: Run }) {
  const results = run.steps.filter(({ answer, error }) => answer !== undefined || error !== undefined)
  if (results.length === 0) return null
  return (
    <details className={classes.raw}>
      <summary>Raw results</summary>
      <Code block role="region" aria-label="Raw results" tabIndex={0} className={classes.json ?? ''}>
        {JSON.stringify(Object.fromEntries(results.map((step) => [step.id, raw(step)])), null, 2)}
      </Code>
    </details>
  )
}

function raw({ answer, error }: Step) {
  if (answer !== undefined) return answer.found
  if (error instanceof ApiError) {
    return { status: error.status, error: error.message, code: error.code, request_id: error.requestId }
  }
  return { error: 'There was no answer.' }
}
