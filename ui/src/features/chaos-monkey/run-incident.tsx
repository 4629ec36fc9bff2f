import { Alert, Stack, Text } from '@mantine/core'
import { IconWarning } from '@/components/icons'
import { RunLink } from '@/components/run-link'
import { Section } from '@/components/section'

import { checkNames } from './check-name'
import { exactSeconds } from './probe-words'
import type { Incident } from './queries'
import classes from './run.module.css'
import { type Repaired, stepSentence } from './steps'

/** The healer's incident during the run. */
export function RunIncident({ incident }: { incident: Incident }) {
  const { openedAt, failing, steps, alarm, runUrl } = incident
  return (
    <Section title="What the healer did" aside={runUrl !== '' && <RunLink href={runUrl}>Open its run</RunLink>}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          The healer is a workflow of its own. It was not told that anything was broken: it sees failing checks only.
          Times count from the first check that it saw fail.
        </Text>
        <Text className="wrap-anywhere">It saw fail: {checkNames(failing)}.</Text>
        {steps.length > 0 ? (
          <ol className={classes.timeline} aria-label="Steps of the healer">
            {steps.map((step) => (
              <StepItem key={`${step.at} ${step.kind}`} step={step} openedAt={openedAt} />
            ))}
          </ol>
        ) : (
          <Text>It mended nothing.</Text>
        )}
        {alarm !== undefined && alarm !== '' && (
          <Alert color="red" variant="outline" icon={<IconWarning />} title="It needs help">
            {alarm}
          </Alert>
        )}
      </Stack>
    </Section>
  )
}

function StepItem({ step, openedAt }: { step: Repaired; openedAt: string }) {
  const failed = step.error !== undefined && step.error !== ''
  return (
    <li data-kind={failed ? 'repair_failed' : 'repaired'}>
      <span className={`${classes.offset} numbers`}>{exactSeconds(Date.parse(step.at) - Date.parse(openedAt))}</span>
      <span className="wrap-anywhere">It {stepSentence(step)}</span>
    </li>
  )
}
