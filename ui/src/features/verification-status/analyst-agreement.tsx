import { Group, Text } from '@mantine/core'

import type { Agreement } from '@/api/verification'
import { UsageBar } from '@/components/usage-bar'
import { number } from '@/lib/plural'

import { analystName } from './analyst-name'
import { Fact, Facts } from './facts'
import classes from './verification-status.module.css'

/** One analyst's accuracy on healthy and on broken pictures. */
export function AnalystAgreement({ of }: { of: Agreement }) {
  const { analyst, compared, healthy, broken, falseAlarms, overlooked, unclear } = of
  const name = analystName(analyst)
  return (
    <li className={classes.analyst}>
      <Group justify="space-between" align="baseline" gap="xs">
        <Text component="h3" fw={650} className="wrap-anywhere">
          {name}
        </Text>
        {compared === 0 && <Text fw={650}>Nothing compared yet</Text>}
      </Group>
      <Right pictures="Healthy pictures" right={healthy - falseAlarms} of={healthy} by={name} />
      <Right pictures="Broken pictures" right={broken - overlooked} of={broken} by={name} />
      <Facts>
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

type RightProps = { pictures: string; right: number; of: number; by: string }

function Right({ pictures, right, of, by }: RightProps) {
  if (of === 0) return null
  return (
    <>
      <Group justify="space-between" gap="xs">
        <Text>{pictures}</Text>
        <Text fw={650} className="numbers" data-moving>
          {number(right)} of {number(of)} right
        </Text>
      </Group>
      <UsageBar spent={right} reserved={0} limit={of} what={`${pictures} that ${by} judged right`} />
    </>
  )
}

function Meaning({ children }: { children: string }) {
  return (
    <Text span inherit c="dimmed">
      ({children})
    </Text>
  )
}
