import type { Schemas } from '@/api/client'

import classes from './run-facts.module.css'

export function RunFacts({ of: facts }: { of: Schemas['RunFact'][] }) {
  if (facts.length === 0) return null
  return (
    <dl className={classes.facts}>
      {facts.map(({ name, value }) => (
        <div key={`${name} ${value}`}>
          <dt>{name}</dt>
          <dd className="wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
