import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'

import { useRegisterMetric } from '@/api/experiments'
import { notifyDone } from '@/components/notify'
import { TimeField, wallTime } from '@/components/time-field'
import { instantOf } from '@/lib/calendar'
import { useFocusOnMount } from '@/lib/use-focus-on-mount'

import { CancelButton } from './cancel-button'
import { fieldErrors } from './field-errors'
import { FormRefusal } from './form-refusal'
import { metricInfo, metrics } from './metric-info'
import { useUnsaved } from './unsaved'
import { useDetailCache } from './use-detail-cache'
import { isSame } from './use-edited'
import { useFocusOnError } from './use-focus-on-error'
import type { Detail } from './words'

const week = 7 * 24 * 3_600_000

const unitNames: Record<string, string> = { s: 'seconds', '%': 'percent' }

const draftOf = ({ measure }: Detail) => ({
  metric: measure?.metric ?? 'posts_published',
  threshold: measure === undefined ? '' : String(measure.threshold),
  due: wallTime(measure === undefined ? new Date(Date.now() + week) : new Date(measure.due_at)),
})

type Draft = ReturnType<typeof draftOf>

/** Registers the metric of an experiment that is not active yet. */
export function MetricForm({ experiment, onClose }: { experiment: Detail; onClose: () => void }) {
  const [start] = useState(() => draftOf(experiment))
  const [draft, setDraft] = useState<Draft>(start)
  const change = (part: Partial<Draft>) => setDraft((old) => ({ ...old, ...part }))
  const register = useRegister(experiment, onClose)
  const errors = fieldErrors(register.error, ['metric', 'threshold', 'due_at'])
  const form = useFocusOnError(register.error)
  const first = useFocusOnMount<HTMLSelectElement>()
  const dirty = !isSame(draft, start)
  useUnsaved(dirty)
  const info = metricInfo[draft.metric]

  function submit(event: FormEvent) {
    event.preventDefault()
    register.send(draft)
  }

  return (
    <form ref={form} onSubmit={submit}>
      <Stack gap="md" maw={760}>
        <Text size="sm" c="dimmed">
          A promise can be changed until the experiment becomes active. On its date a run sets the verdict.
        </Text>
        <NativeSelect
          ref={first}
          label="What is measured"
          description={info.description}
          data={metrics.map((value) => ({ value, label: metricInfo[value].label }))}
          value={draft.metric}
          error={errors.at.metric}
          onChange={(event) => change({ metric: metrics[event.currentTarget.selectedIndex] ?? 'posts_published' })}
        />
        <TextInput
          type="number"
          label={`${info.atMost ? 'At most' : 'At least'}, in ${unitNames[info.unit] ?? info.unit}`}
          min={0}
          max={info.unit === '%' ? 100 : 1_000_000}
          step="any"
          required
          maw={320}
          value={draft.threshold}
          error={errors.at.threshold}
          onChange={(event) => change({ threshold: event.currentTarget.value })}
        />
        <TimeField value={draft.due} onChange={(due) => change({ due })} error={errors.at.due_at} />
        <FormRefusal of={register} errors={errors} now={experiment.version} />
        <Group gap="sm">
          <Button type="submit" loading={register.isPending}>
            Register
          </Button>
          <CancelButton dirty={dirty} onClose={onClose} />
        </Group>
      </Stack>
    </form>
  )
}

function useRegister({ id, slug, version }: Detail, onClose: () => void) {
  const register = useRegisterMetric()
  const put = useDetailCache(id)
  function send({ metric, threshold, due }: Draft) {
    if (register.isPending || due.scheduledAt === '') return
    const due_at = instantOf(due.scheduledAt, due.timezone).toISOString()
    register.mutate(
      { slug, version, metric, threshold: Number(threshold), due_at },
      {
        onSuccess: (now) => {
          put(() => now)
          notifyDone('The metric is registered.')
          onClose()
        },
      },
    )
  }
  return { send, sent: register.variables?.version, error: register.error, isPending: register.isPending }
}
