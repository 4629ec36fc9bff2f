import { Group, Text } from '@mantine/core'

import type { Agreement } from '@/api/verification'
import { UsageBar } from '@/components/usage-bar'
import { number } from '@/lib/plural'

import { analystName } from './analyst-name'
import { Fact, Facts } from './facts'
import classes from './verification-status.module.css'

/** One analyst's accuracy and its kinds of errors. */
export function AnalystAgreement({ of }: { of: Agreement }) {
  const { analyst, compared, agreed, share, falseAlarms, overlooked, unclear } = of
  const name = analystName(analyst)
  return (
    <li className={classes.analyst}>
      <Group justify="space-between" align="baseline" gap="xs">
        <Text component="h3" fw={650} className="wrap-anywhere">
          {name}
        </Text>
        <Text fw={650} className="numbers" data-moving>
          {share === undefined ? 'Nothing compared yet' : `${Number((100 * share).toFixed(1))} % right`}
        </Text>
      </Group>
      {compared > 0 && <UsageBar spent={agreed} reserved={0} limit={compared} what={`Agreed of compared, ${name}`} />}
      <Facts>
        <Fact name="Compared">{number(compared)}</Fact>
        <Fact name="Agreed">{number(agreed)}</Fact>
        <Fact name="False alarms">
          {number(falseAlarms)} <Meaning>it looked broken, and was well</Meaning>
        </Fact>
        <Fact name="Overlooked">
          {number(overlooked)} <Meaning>it looked well, and was broken</Meaning>
        </Fact>
        <Fact name="Unclear">
          {number(unclear)} <Meaning>no opinion: not compared</Meaning>
        </Fact>
      </Facts>
    </li>
  )
}

function Meaning({ children }: { children: string }) {
  return (
    <Text span inherit c="dimmed">
      ({children})
    </Text>
  )
}
