import { Alert, Button, Card, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { useSession } from '@/api/session'
import { IconPause, IconPlay, IconWarning } from '@/components/icons'
import { Moment } from '@/components/moment'
import { notifyDone, notifyError } from '@/components/notify'
import { SettingSwitch } from '@/components/setting-switch'
import { plural } from '@/lib/plural'

import { PauseDialog } from './pause-dialog'
import { type PostingControls, postingControlsQuery, useChangePostingControls } from './queries'

/** The posting controls. They are public; only founders can change them. */
export function PostingControlsBar() {
  const { data: controls } = useQuery(postingControlsQuery)
  const { role } = useSession()
  if (controls === undefined) return null
  return (
    <Stack gap="sm" mb="md">
      {controls.paused && <PausedAlert controls={controls} />}
      {controls.approval && role !== 'founder' && (
        <Text size="sm" c="dimmed">
          Members' posts need a founder's approval. Until somebody says yes, nothing goes out.
        </Text>
      )}
      {role === 'founder' && <Controls controls={controls} />}
    </Stack>
  )
}

function PausedAlert({ controls: { pausedAt, pausedBy, pauseReason } }: { controls: PostingControls }) {
  return (
    <Alert color="orange" variant="outline" icon={<IconWarning />} title="The bot is paused" role="status">
      <Stack gap={2} fz="sm" className="wrap-anywhere">
        {pauseReason !== undefined && pauseReason !== '' && <span>Why: {pauseReason}</span>}
        <span>
          Nothing is sent
          {pausedAt !== undefined && (
            <>
              {' '}
              since <Moment at={pausedAt} />
            </>
          )}
          {pausedBy !== undefined && pausedBy !== '' && `, by ${pausedBy}`}. Posts keep their slots and wait.
        </span>
      </Stack>
    </Alert>
  )
}

function Controls({ controls }: { controls: PostingControls }) {
  return (
    <Card withBorder padding="sm">
      <Group justify="space-between" gap="sm">
        <ApprovalSwitch on={controls.approval} />
        {controls.paused ? <GoOn overdue={controls.overdue} /> : <Pause />}
      </Group>
    </Card>
  )
}

function Pause() {
  const [asked, ask] = useState(false)
  return (
    <>
      <Button variant="default" size="sm" leftSection={<IconPause size={16} />} onClick={() => ask(true)}>
        Pause the bot
      </Button>
      <PauseDialog opened={asked} onClose={() => ask(false)} />
    </>
  )
}

function GoOn({ overdue }: { overdue: number }) {
  const change = useChangePostingControls()
  const goOn = () =>
    change.mutate(
      { paused: false },
      {
        onSuccess: () => notifyDone('The bot goes on.'),
        onError: (error) => notifyError('The bot is still paused', error),
      },
    )
  return (
    <Group gap="sm">
      <Text size="sm">
        {overdue === 0 ? 'Nothing is overdue.' : `${plural(overdue, 'overdue post')} will go out at once.`}
      </Text>
      <Button size="sm" leftSection={<IconPlay size={16} />} loading={change.isPending} onClick={goOn}>
        Let it go on
      </Button>
    </Group>
  )
}

function ApprovalSwitch({ on }: { on: boolean }) {
  const change = useChangePostingControls()
  return (
    <SettingSwitch
      label="Members' posts need approval"
      description="A member's post waits for a founder's approval, and holds no slot until then."
      on={on}
      onTurn={(approval, onSettled) =>
        change.mutate(
          { approval },
          { onError: (error) => notifyError('The setting was not changed', error), onSettled },
        )
      }
    />
  )
}
