import { Button, Group, Modal, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useRef } from 'react'

import { IconCheck, IconRetry } from '@/components/icons'

import { AccountNote } from './account-note'
import { bringIntoView } from './bring-into-view'
import classes from './oauth-diagnosis.module.css'
import { RawResults } from './raw-results'
import type { Run } from './run'
import { RunNote } from './run-note'
import { StepList } from './step-list'
import { StepProgress } from './step-progress'
import type { Diagnosis } from './use-diagnosis'

/** Tests a login with X step by step. Closing the dialog ends the test. */
export function DiagnosisDialog({ diagnosis }: { diagnosis: Diagnosis }) {
  const { opened, run, stay, close } = diagnosis
  return (
    <Modal opened={opened} onClose={close} title={stay ? 'Test the X login' : 'Test & Login with X'} size="lg">
      <Stack gap="md">
        <StepProgress run={run} />
        <div>
          <StepList steps={run.steps} />
          <div role="status">
            {run.state === 'passed' ? <Passed stay={stay} /> : <VisuallyHidden>{whereItIs(run)}</VisuallyHidden>}
          </div>
        </div>
        <AccountNote run={run} />
        <RunNote run={run} />
        <RawResults run={run} />
        <Actions diagnosis={diagnosis} />
      </Stack>
    </Modal>
  )
}

function Passed({ stay }: { stay: boolean }) {
  return (
    <Group ref={bringIntoView} gap="xs" mt="md" className={`${classes.passed} ${classes.shown}`}>
      <IconCheck />
      <Text fw={650}>All Tests Passed!</Text>
      <Text size="sm">{stay ? 'People can log in with X.' : 'Taking you to X…'}</Text>
    </Group>
  )
}

function whereItIs({ steps }: Run) {
  const at = steps.findIndex(({ state }) => state === 'running')
  return at < 0 ? '' : `Step ${at + 1} of ${steps.length}: ${steps[at]?.name}`
}

function Actions({ diagnosis: { run, start, close } }: { diagnosis: Diagnosis }) {
  const closing = useRef<HTMLButtonElement>(null)
  function again() {
    closing.current?.focus() // the pressed button disappears
    start()
  }
  return (
    <Group justify="flex-end">
      {run.state === 'failed' && (
        <Button leftSection={<IconRetry size={16} />} onClick={again}>
          Run again
        </Button>
      )}
      <Button ref={closing} variant="default" onClick={close}>
        {run.state === 'running' ? 'Cancel' : 'Close'}
      </Button>
    </Group>
  )
}
