import { Text } from '@mantine/core'
import { Moment } from '@/components/moment'
import { RunLink } from '@/components/run-link'
import { number } from '@/lib/plural'

import classes from './credits.module.css'
import type { CreditEntry } from './queries'
import { lineId } from './use-load-more'

const what: Record<CreditEntry['reason'], string> = {
  founding_fee: 'Founding fee',
  tour: 'Welcome tour',
  partnership: 'Partnership discovery',
  post: 'Sponsored post',
  refund: 'Given back',
  adjust: 'Added by a founder',
}

/** The ledger entries: reason and time, amount, and balance after it. */
export function Ledger({ entries }: { entries: CreditEntry[] }) {
  return (
    <table className={`${classes.table} numbers`} aria-label="Ledger">
      <thead>
        <tr>
          <th scope="col">For</th>
          <th scope="col">Credits</th>
          <th scope="col">Balance</th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry, index) => (
          <Line key={entry.number} entry={entry} id={lineId(index)} />
        ))}
      </tbody>
    </table>
  )
}

function Line({ entry: { at, delta, balance, reason, runUrl }, id }: { entry: CreditEntry; id: string }) {
  return (
    <tr id={id} tabIndex={-1}>
      <td>
        <Text fw={600}>{reason === 'refund' && runUrl !== undefined ? 'Post that did not go out' : what[reason]}</Text>
        <Text size="sm" c="dimmed">
          <Moment at={at} />
          {runUrl !== undefined && (
            <>
              {' · '}
              <RunLink href={runUrl} inherit>
                Open run
              </RunLink>
            </>
          )}
        </Text>
      </td>
      <td className={delta > 0 ? classes.given : classes.taken}>{signed(delta)}</td>
      <td>{number(balance)}</td>
    </tr>
  )
}

const signed = (delta: number) => (delta > 0 ? `+${number(delta)}` : `−${number(-delta)}`)
