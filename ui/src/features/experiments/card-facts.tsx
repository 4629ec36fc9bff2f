import type { Experiment } from '@/api/experiments'
import { handle } from '@/lib/handle'

import { difficulties } from './difficulties'
import classes from './experiments.module.css'

/** What an experiment is about. What waits is shown whole, for a founder decides by it. */
export function CardFacts({ experiment }: { experiment: Experiment }) {
  const { problem, hypothesis, impact, difficulty, submitter, status, reason } = experiment
  const waiting = status === 'waiting'
  return (
    <dl className={classes.facts}>
      <Fact name="Problem">{problem}</Fact>
      <Fact name="Hypothesis">{hypothesis}</Fact>
      {waiting && <Fact name="Impact">{impact}</Fact>}
      {waiting && <Fact name="Difficulty">{difficulties[difficulty]}</Fact>}
      {waiting && submitter && <Fact name="Submitted by">{handle(submitter)}</Fact>}
      {reason && <Fact name={status === 'declined' ? 'Why it was declined' : 'How it ended'}>{reason}</Fact>}
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd data-moving>{children}</dd>
    </div>
  )
}
