import { Badge, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

import { ExternalLink } from '@/components/external-link'
import { Moment } from '@/components/moment'
import { Section } from '@/components/section'
import { clockTime } from '@/lib/time'
import { webURL } from '@/lib/web-url'

import classes from './chaos-monkey.module.css'
import { checkNames } from './check-name'
import { describeEvent } from './events'
import { HealerAtWork } from './healer-at-work'
import type { Phase } from './phase'
import { phaseStyle } from './phase-style'
import type { Cell } from './queries'
import { Since } from './since'
import type { TargetState } from './use-target-state'

/** The state of the chaos target, with links to it. */
export function HealthPanel({ cell, state }: { cell: Cell; state: TargetState }) {
  const { phase = 'unseen', running } = state
  const url = webURL(cell.url)
  return (
    <Section title="System health" aside={<PhaseBadge phase={phase} />}>
      <Stack gap="sm">
        <div role="status">
          <Text size="lg" fw={650}>
            {phaseStyle[phase].label} <Since cell={cell} phase={phase} injectedAt={running?.injectedAt} />
          </Text>
          <Text size="sm">{running ? describeEvent(running) : phaseStyle[phase].about}</Text>
        </div>
        <HealerAtWork incident={cell.incident} />
        <dl className={classes.facts}>
          <Fact name="Failing checks">{cell.failing.length === 0 ? 'none' : checkNames(cell.failing)}</Fact>
          <Fact name="Process">
            {cell.process === 0 ? 'none is running' : `number ${cell.process}`}
            {cell.process !== 0 && cell.startedAt !== undefined && (
              <>
                , started <Moment at={cell.startedAt} />
              </>
            )}
          </Fact>
          <Fact name="Last probe">
            {cell.seenAt === undefined ? (
              'none yet'
            ) : (
              <Moment at={cell.seenAt}>{clockTime(Date.parse(cell.seenAt))}</Moment>
            )}
          </Fact>
        </dl>
        <Text size="sm">
          {url === null ? (
            'Its pages are not shown at a public address here.'
          ) : (
            <ExternalLink href={url} size="sm" underline="always">
              Look at the chaos target
            </ExternalLink>
          )}
        </Text>
      </Stack>
    </Section>
  )
}

function PhaseBadge({ phase }: { phase: Phase }) {
  const { label, color, icon: Icon } = phaseStyle[phase]
  return (
    <Badge size="lg" variant="outline" color={color} leftSection={<Icon size={14} />} aria-hidden="true">
      {label}
    </Badge>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="wrap-anywhere numbers">{children}</dd>
    </div>
  )
}
