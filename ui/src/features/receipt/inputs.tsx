import { Text } from '@mantine/core'

import type { Schemas } from '@/api/client'
import { Section } from '@/components/section'
import { duration } from '@/lib/duration'
import { number } from '@/lib/plural'
import { visitorKind } from '@/lib/visitor-kind'

import classes from './receipt.module.css'

type Facts = NonNullable<Schemas['Receipt']['inputs']>

/** All data about the buyer that was used. */
export function Inputs({ receipt: { inputs, demo } }: { receipt: Schemas['Receipt'] }) {
  return (
    <Section title="Inputs">
      {inputs === undefined ? (
        <Text>Nothing about the buyer was used.</Text>
      ) : (
        <>
          <Text mb="sm">
            {demo
              ? 'Five facts, made up for the demo, and nothing else.'
              : 'Five facts from our own counters, and nothing else about the buyer.'}
          </Text>
          <Facts facts={inputs} />
        </>
      )}
    </Section>
  )
}

function Facts({ facts }: { facts: Facts }) {
  const rows = {
    Visits: number(facts.visits),
    'Time on the site': duration(facts.time_on_site),
    'Looked at the prices': facts.viewed_pricing ? 'yes' : 'no',
    'Asked to buy before': facts.added_to_cart ? 'yes' : 'no',
    'Kind of visitor': visitorKind[facts.user_type],
  }
  return (
    <table className={classes.inputs}>
      <tbody>
        {Object.entries(rows).map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td className="numbers">{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
