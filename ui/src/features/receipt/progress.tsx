import type { ReactNode } from 'react'

import type { Schemas } from '@/api/client'
import { Moment } from '@/components/moment'
import { RunLink } from '@/components/run-link'
import { Section } from '@/components/section'
import { dollars } from '@/lib/money'

import classes from './receipt.module.css'
import { isLive } from './state'

/** The events of a checkout, with a link to its run. */
export function Progress({ receipt }: { receipt: Schemas['Receipt'] }) {
  const { run, state } = receipt
  return (
    <Section title="Timeline">
      <dl className={classes.facts}>
        <Fact name="Asked for">
          <Moment at={receipt.created_at} />
        </Fact>
        {receipt.decided_at && (
          <Fact name="Price decided">
            <Moment at={receipt.decided_at} />
          </Fact>
        )}
        {receipt.expires_at && isLive(state) && (
          <Fact name="Can be paid until">
            <Moment at={receipt.expires_at} />
          </Fact>
        )}
        {receipt.paid_at && (
          <Fact name="Paid">
            {dollars(receipt.paid_amount)}, <Moment at={receipt.paid_at} />
          </Fact>
        )}
        {receipt.refunded_amount > 0 && <Fact name="Sent back">{dollars(receipt.refunded_amount)}</Fact>}
        <Fact name="Run">{run.runUrl === '' ? 'not begun yet' : <RunLink href={run.runUrl}>Open run</RunLink>}</Fact>
      </dl>
    </Section>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="numbers">{children}</dd>
    </div>
  )
}
