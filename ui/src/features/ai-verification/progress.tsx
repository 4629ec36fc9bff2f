import { Progress as Bar, Group, Loader, Stack, Text, VisuallyHidden } from '@mantine/core'

import { isOpen, type Verification } from '@/api/verification'
import { IconCheck, IconClock, IconCross } from '@/components/icons'
import { duration } from '@/lib/duration'
import { announce, type Step, type StepState, stepsOf } from './steps'
import classes from './steps.module.css'
import { useSecondsSince } from './use-seconds-since'

/** The progress of a run, derived from its events. */
export function Progress({ run }: { run: Verification }) {
  const steps = stepsOf(run)
  return (
    <Stack gap="sm" data-moving>
      <Group justify="space-between" gap="xs">
        <Text size="sm" className="numbers">
          {run.done} of {run.total} steps
        </Text>
        <Elapsed run={run} />
      </Group>
      <Bar.Root>
        <Bar.Section value={run.total === 0 ? 0 : (100 * run.done) / run.total} aria-label="Steps done" />
      </Bar.Root>
      <ol className={classes.steps} aria-label="Steps">
        {steps.map((step) => (
          <StepRow key={step.name} step={step} />
        ))}
      </ol>
      <VisuallyHidden aria-live="polite">{isOpen(run) ? announce(run, steps) : ''}</VisuallyHidden>
    </Stack>
  )
}

const stateLabel: Record<StepState, string> = {
  pending: 'Pending',
  running: 'Running',
  done: 'Done',
  failed: 'Failed',
}

const stateIcon: Record<StepState, React.ReactNode> = {
  pending: <IconClock size={16} />,
  running: <Loader size={16} aria-hidden="true" />,
  done: <IconCheck size={16} />,
  failed: <IconCross size={16} />,
}

function StepRow({ step: { name, state, note } }: { step: Step }) {
  return (
    <li data-state={state} {...(state === 'running' && { 'aria-current': 'step' as const })}>
      <span className={classes.stepIcon}>{stateIcon[state]}</span>
      <span>
        {name}
        {note !== undefined && (
          <Text span size="sm" c="dimmed" display="block" className="wrap-anywhere">
            {note}
          </Text>
        )}
      </span>
      <span className={classes.stepState}>{stateLabel[state]}</span>
    </li>
  )
}

function Elapsed({ run }: { run: Verification }) {
  return (
    <Text size="sm" className="numbers" c="dimmed">
      {run.endedAt === undefined ? <Since at={run.requestedAt} /> : `Took ${took(run.requestedAt, run.endedAt)}`}
    </Text>
  )
}

const Since = ({ at }: { at: string }) => <>{duration(useSecondsSince(at))} so far</>

function took(from: string, to: string) {
  const seconds = Math.max(0, Date.parse(to) - Date.parse(from)) / 1_000
  return seconds < 60 ? `${seconds.toFixed(1)} s` : duration(Math.round(seconds))
}
