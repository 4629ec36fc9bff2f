import { Button, Group, Modal } from '@mantine/core'
import { useState } from 'react'

import type { Verification } from '@/api/verification'
import { FoundersOnly } from '@/components/founders-only'
import { IconCheck } from '@/components/icons'

import { ApproveForm } from './approve-form'

/** Approves the run's screenshots as the new baseline; founders only. */
export function ApproveBaseline({ run }: { run: Verification }) {
  const [opened, setOpened] = useState(false)
  const close = () => setOpened(false)
  if (run.shots.every(({ picture }) => picture === undefined)) return null
  if (!run.canApprove) return <FoundersOnly what="approve a look" />
  return (
    <Group>
      <Button variant="default" leftSection={<IconCheck size={16} />} onClick={() => setOpened(true)}>
        Approve this look
      </Button>
      <Modal opened={opened} onClose={close} title="Approve this look?">
        <ApproveForm run={run} onDone={close} />
      </Modal>
    </Group>
  )
}
