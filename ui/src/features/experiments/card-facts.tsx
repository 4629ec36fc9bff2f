import type { Experiment } from '@/api/experiments'
import { difficulties, fieldOf, textNames } from '@/components/experiment-fields'
import { handle } from '@/lib/handle'

import classes from './experiments.module.css'

/** The facts of an experiment. An idea waiting for approval is shown in full, because a founder decides on it. */
export function CardFacts({ experiment }: { experiment: Experiment }) {
  const { difficulty, submitter, status, reason } = experiment
  const waiting = status === 'waiting'
  return (
    <dl className={classes.facts}>
      {textNames
        .filter((name) => name === 'problem' || name === 'hypothesis' || (waiting && name !== 'title'))
        .map((name) => (
          <Fact key={name} name={fieldOf(name).label}>
            {experiment[name]}
          </Fact>
        ))}
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
