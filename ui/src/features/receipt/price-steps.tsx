import { useQuery } from '@tanstack/react-query'

import type { Schemas } from '@/api/client'
import { pricingQuery } from '@/api/pricing'
import { clampText, type PriceLimits } from '@/lib/clamp-text'
import { dollars } from '@/lib/money'

import classes from './receipt.module.css'

type Receipt = Schemas['Receipt']

type Step = { label: string; note?: string; cents: number }

/** The steps from the list price to the final price: a line and a bar each. */
export function PriceSteps({ receipt }: { receipt: Receipt }) {
  const { data: limits } = useQuery(pricingQuery)
  const longest = receipt.list_price
  return (
    <ol className={classes.way} aria-label="From the list price to the final price">
      {stepsOf(receipt, limits).map(({ label, note, cents }) => (
        <li key={label}>
          <div className={classes.line}>
            <span>
              {label}
              {note !== undefined && <span className={classes.note}>: {note}</span>}
            </span>
            <strong className="numbers">{dollars(cents)}</strong>
          </div>
          <div className={classes.track} aria-hidden="true">
            <div className={classes.bar} style={{ width: `${share(cents, longest)}%` }} />
          </div>
        </li>
      ))}
    </ol>
  )
}

const share = (cents: number, whole: number) => Math.min(100, Math.max(0, (100 * cents) / whole))

function stepsOf(receipt: Receipt, limits: PriceLimits | undefined): Step[] {
  const { list_price: list, final_price: final, proposed_percent: proposed, clamps, source } = receipt
  const first = { label: 'List price', cents: list }
  const last = { label: 'Final price', cents: final }
  if (source === 'list' || source === '') return [first, last]
  const why = clamps.map((clamp) => clampText(clamp, proposed, limits)).join('; ')
  return [
    first,
    { label: 'Proposal', note: `${proposed} % off`, cents: Math.round((list * (100 - proposed)) / 100) },
    { label: 'Our rules', note: why || 'nothing to change', cents: final },
    last,
  ]
}
