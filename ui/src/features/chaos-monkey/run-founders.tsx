import { Button, Group, Stack, Text } from '@mantine/core'
import { useNavigate } from 'react-router'

import { useSession } from '@/api/session'
import { FormError } from '@/components/form-error'
import { FoundersOnly } from '@/components/founders-only'
import { IconCheck, IconRetry } from '@/components/icons'
import { Section } from '@/components/section'

import { runPath } from './addresses'
import { type ChaosRun, isOpen, useCheckHistory, useReplayChaos } from './queries'
import classes from './run.module.css'
import { RunHistoryCheck } from './run-history-check'

/** The founders' actions on a run that has ended; the results are public. */
export function RunFounders({ run: { event, check } }: { run: ChaosRun }) {
  const { role } = useSession()
  const checking = useCheckHistory(event.id)
  const known = checking.data ?? check
  if (isOpen(event)) return null
  return (
    <Section title="Replay and check">
      <Stack gap="md">
        <Text>
          A replay breaks the chaos target in the same way again, as a new run. A check takes the stored history of this
          run and plays it through the code of today, which shows that a run under way would survive an update.
        </Text>
        {role === 'founder' ? (
          <Group gap="sm" align="start">
            <Replay id={event.id} />
            <Button
              variant="default"
              classNames={{ root: classes.wide ?? '', label: classes.wideLabel ?? '' }}
              leftSection={<IconCheck size={16} />}
              aria-disabled={checking.isPending}
              onClick={() => checking.isPending || checking.mutate()}
            >
              {checking.isPending ? 'Checking…' : "Check the history against today's code"}
            </Button>
          </Group>
        ) : (
          <FoundersOnly what="replay a test, or check its history" />
        )}
        <FormError error={checking.error} />
        <RunHistoryCheck check={known} checking={checking.isPending} />
      </Stack>
    </Section>
  )
}

function Replay({ id }: { id: string }) {
  const navigate = useNavigate()
  const replay = useReplayChaos()
  const start = () => replay.mutate(id, { onSuccess: (started) => void navigate(runPath(started.id)) })
  return (
    <Stack gap="xs">
      <Button
        leftSection={<IconRetry size={16} />}
        aria-disabled={replay.isPending}
        onClick={() => replay.isPending || start()}
      >
        {replay.isPending ? 'Starting…' : 'Replay this test'}
      </Button>
      <FormError error={replay.error} />
    </Stack>
  )
}
