import { Text } from '@mantine/core'

import type { Schemas } from '@/api/client'
import { Section } from '@/components/section'

import { microusd, roundly } from './amounts'
import classes from './treasury.module.css'

type Month = Schemas['MonthOfMoney']

/** The months side by side, with bars on one scale. */
export function Months({ months }: { months: Month[] }) {
  const largest = Math.max(...months.flatMap(amounts))
  return (
    <Section title="Month by month">
      <table className={`${classes.months} numbers`} aria-label="Months">
        <thead>
          <tr>
            <th scope="col">Month</th>
            <th scope="col">Fees</th>
            <th scope="col">Refunds, disputes</th>
            <th scope="col">Costs</th>
          </tr>
        </thead>
        <tbody>
          {months.map((month) => (
            <Row key={month.month} month={month} largest={largest} />
          ))}
        </tbody>
      </table>
      <Text size="sm" c="dimmed" mt="md">
        All bars have one scale. A refund or a dispute is shown in the month of its payment; costs are fees, X and
        models.
      </Text>
    </Section>
  )
}

const amounts = ({ paid_cents, refunded_cents, disputed_cents, cost_microusd }: Month) => [
  microusd(paid_cents),
  microusd(refunded_cents + disputed_cents),
  cost_microusd,
]

const kinds = ['fees', 'refunds', 'costs'] as const

function Row({ month, largest }: { month: Month; largest: number }) {
  return (
    <tr>
      <th scope="row">{shortMonth(month.month)}</th>
      {amounts(month).map((amount, index) => (
        <td key={kinds[index]}>
          {roundly(amount)}
          <div className={classes.bar} data-kind={kinds[index]} style={{ width: `${share(amount, largest)}%` }} />
        </td>
      ))}
    </tr>
  )
}

const share = (amount: number, largest: number) => (amount > 0 ? Math.max(1, (100 * amount) / largest) : 0)

const month = new Intl.DateTimeFormat('en', { month: 'short', year: 'numeric', timeZone: 'UTC' })

const shortMonth = (yearMonth: string) => month.format(new Date(`${yearMonth}-01T00:00:00Z`))
