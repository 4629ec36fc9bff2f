import type { Schemas } from '@/api/client'

import classes from './oauth-diagnosis.module.css'

/** The measured facts: lengths and states, never a secret. */
export function StepFacts({ facts }: { facts: Schemas['DiagnosisFact'][] }) {
  if (facts.length === 0) return null
  return (
    <dl className={classes.facts}>
      {facts.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
