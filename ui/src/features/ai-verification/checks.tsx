import { Badge, Text } from '@mantine/core'

import type { Check, Verification } from '@/api/verification'
import { IconCheck, IconCross, IconSlash } from '@/components/icons'
import { Section } from '@/components/section'
import { type CheckGroup, groupChecks } from './check-groups'
import classes from './checks.module.css'
import { checkLabel, tally } from './words'

/** All checks, failed ones first and expanded. */
export function Checks({ run }: { run: Verification }) {
  return (
    <Section title="Checks">
      {groupChecks(run.testResults.checks).map((group) => (
        <Group key={group.name} group={group} />
      ))}
    </Section>
  )
}

function Group({ group: { name, checks, failed } }: { group: CheckGroup }) {
  const passed = checks.filter(({ state }) => state === 'pass').length
  const skipped = checks.length - passed - failed
  return (
    <details className={classes.checks} open={failed > 0}>
      <summary>
        <strong>{name}</strong>: {tally({ passed, failed })}
        {skipped > 0 && `, ${skipped} not made`}
      </summary>
      <ul aria-label={`Checks of ${name}`}>
        {checks.map((check) => (
          <Row key={`${check.kind} ${check.subject}`} check={check} />
        ))}
      </ul>
    </details>
  )
}

const looks = new Map([
  ['pass', { label: 'Passed', color: 'green', icon: IconCheck }],
  ['fail', { label: 'Failed', color: 'red', icon: IconCross }],
])
const notMade = { label: 'Not made', color: 'gray', icon: IconSlash }

function Row({ check }: { check: Check }) {
  const { label, color, icon: Icon } = looks.get(check.state) ?? notMade
  return (
    <li>
      <Badge variant="outline" color={color} leftSection={<Icon size={12} />}>
        {label}
      </Badge>
      <div className="wrap-anywhere">
        <Text size="sm" fw={600}>
          {check.kind === 'endpoint' ? check.subject : checkLabel(check)}
        </Text>
        <Text size="sm">{check.message}</Text>
        <Details details={check.details ?? []} />
      </div>
    </li>
  )
}

function Details({ details }: { details: string[] }) {
  if (details.length === 0) return null
  return (
    <ul className={classes.found}>
      {[...new Set(details)].map((detail) => (
        <li key={detail}>{detail}</li>
      ))}
    </ul>
  )
}
