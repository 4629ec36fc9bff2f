import { Text } from '@mantine/core'

import { checkNames } from './check-name'
import type { Incident } from './queries'
import { stepSentence } from './steps'

/** The healer's diagnosis of the open incident, and its steps so far. */
export function HealerAtWork({ incident }: { incident: Incident | undefined }) {
  if (incident === undefined) return null
  const last = incident.steps.at(-1)
  return (
    <Text size="sm" className="wrap-anywhere">
      The healer found {checkNames(incident.failing)} failing.{' '}
      {last === undefined ? 'It is about to begin.' : `Last it did: ${stepSentence(last)}`}
    </Text>
  )
}
