import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'

import { useUnregisterMetric } from '@/api/experiments'
import { notifyDone } from '@/components/notify'
import { Section } from '@/components/section'

import { EditForm } from './edit-form'
import { FormRefusal } from './form-refusal'
import { MetricForm } from './metric-form'
import { Moves } from './moves'
import { useDetailCache } from './use-detail-cache'
import type { Detail } from './words'

/** The founders' controls of an experiment. An open form stays open even if the permission is lost. */
export function FoundersDesk({ experiment }: { experiment: Detail }) {
  const edit = useOpened()
  const metric = useOpened()
  if (!experiment.can_edit && !edit.isOpen && !metric.isOpen) return null
  return (
    <Section title="Founders' desk">
      <Stack gap="lg">
        {experiment.status === 'waiting' && (
          <Alert color="orange" variant="outline" title="This waits for a founder's approval">
            Nobody but founders sees it until then.
          </Alert>
        )}
        <Moves experiment={experiment} />
        {edit.isOpen ? (
          <EditForm experiment={experiment} onClose={edit.close} />
        ) : (
          <Group>
            <Button ref={edit.button} size="sm" variant="default" onClick={edit.open}>
              Edit what it says
            </Button>
          </Group>
        )}
        {metric.isOpen ? (
          <MetricForm experiment={experiment} onClose={metric.close} />
        ) : (
          experiment.status === 'planning' && <MetricButtons experiment={experiment} opened={metric} />
        )}
      </Stack>
    </Section>
  )
}

/** A form that replaces the button that opens it, and returns the focus to it. */
function useOpened() {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  function close() {
    flushSync(() => setOpen(false))
    button.current?.focus()
  }
  return { isOpen, open: () => setOpen(true), close, button }
}

type ButtonsProps = { experiment: Detail; opened: ReturnType<typeof useOpened> }

function MetricButtons({ experiment, opened: { button, open } }: ButtonsProps) {
  const registered = experiment.measure !== undefined
  const { takeBack, sent, error, isPending } = useTakeBack(experiment)
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <Button ref={button} size="sm" variant="default" onClick={open}>
          {registered ? 'Change the metric' : 'Register a metric'}
        </Button>
        {registered && (
          <Button
            size="sm"
            variant="default"
            loading={isPending}
            onClick={() => takeBack(() => button.current?.focus())}
          >
            Take the metric back
          </Button>
        )}
      </Group>
      {!registered && (
        <Text size="sm" c="dimmed">
          With a metric, the verdict is set by a run at its date, and not by hand.
        </Text>
      )}
      <FormRefusal of={{ error, sent }} now={experiment.version} />
    </Stack>
  )
}

function useTakeBack({ id, slug, version }: Detail) {
  const { mutate, variables, error, isPending } = useUnregisterMetric()
  const put = useDetailCache(id)
  const takeBack = (onDone: () => void) =>
    mutate(
      { slug, version },
      {
        onSuccess: (now) => {
          flushSync(() => put(() => now))
          notifyDone('The metric is taken back.')
          onDone()
        },
      },
    )
  return { takeBack, sent: variables?.version, error, isPending }
}
