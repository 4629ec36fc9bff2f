import { Button, Group, Stack, Text } from '@mantine/core'
import type { FormEvent } from 'react'

import { useEditExperiment } from '@/api/experiments'
import { notifyDone } from '@/components/notify'
import { unavailable } from '@/components/unavailable'
import { useFocusOnMount } from '@/lib/use-focus-on-mount'
import { CancelButton } from './cancel-button'
import { Conflict, Kept } from './conflict'
import { changeOf, type Draft, draftOf, fieldLabels, fieldNames, fieldText, withoutBlankRows } from './edit-draft'
import { EditFields } from './edit-fields'
import { fieldErrors, isStale } from './field-errors'
import { FormRefusal } from './form-refusal'
import { useUnsaved } from './unsaved'
import { useDetailCache } from './use-detail-cache'
import { differing, useEdited } from './use-edited'
import { useFocusOnError } from './use-focus-on-error'
import type { Detail } from './words'

type Props = { experiment: Detail; onClose: () => void }

/** Edits an experiment. Changes by others are shown before they can be overwritten. */
export function EditForm({ experiment, onClose }: Props) {
  const edited = useEdited<Detail, Draft>(experiment, draftOf)
  const { draft, change, dirty, theirs, kept } = edited
  const save = useSave(experiment, onClose)
  const errors = fieldErrors(save.error, fieldNames)
  const form = useFocusOnError(save.error)
  const heading = useFocusOnMount<HTMLHeadingElement>()
  useUnsaved(dirty)

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!dirty || theirs !== null) return
    const tidy = withoutBlankRows(draft)
    change(tidy) // so that the lines on screen match the line numbers of a refusal
    save.send(edited.base, tidy)
  }

  function keepMine() {
    const { base, draft: merged } = edited.keepMine()
    save.send(base, merged)
  }

  return (
    <form ref={form} onSubmit={submit}>
      <Stack gap="md" maw={760}>
        <Text component="h3" fw={650} ref={heading} tabIndex={-1}>
          What the experiment says
        </Text>
        <EditFields draft={draft} onChange={change} errorAt={errors.at} />
        {kept && <Kept texts={textsOf(kept)} onForget={edited.forgetKept} />}
        {theirs !== null && (
          <Conflict
            {...clashesOf(edited, theirs)}
            pending={save.isPending}
            onTheirs={edited.seeTheirs}
            onMine={keepMine}
          />
        )}
        {!(isStale(save.error) && theirs !== null) && (
          <FormRefusal of={save} errors={errors} now={edited.base.version} />
        )}
        <Group gap="sm">
          <Button type="submit" {...unavailable(!dirty || theirs !== null)} loading={save.isPending}>
            Save
          </Button>
          <CancelButton dirty={dirty || kept !== null} onClose={onClose} />
          <Text size="sm" c="dimmed" role="status">
            {dirty && 'Not saved yet.'}
          </Text>
        </Group>
      </Stack>
    </form>
  )
}

function useSave(experiment: Detail, onClose: () => void) {
  const save = useEditExperiment()
  const put = useDetailCache(experiment.id)
  function send(base: Detail, draft: Draft) {
    if (save.isPending) return
    const changed = differing(draft, draftOf(base))
    if (changed.length === 0) return onClose()
    save.mutate(
      { slug: experiment.slug, version: base.version, ...changeOf(draft, changed) },
      {
        onSuccess: (now) => {
          put(() => now)
          notifyDone('The experiment is saved.')
          onClose()
        },
      },
    )
  }
  return { send, sent: save.variables?.version, error: save.error, isPending: save.isPending }
}

/** The fields that both sides changed, and those that only the others changed. */
function clashesOf({ mine, draft, base }: { mine: (keyof Draft)[]; draft: Draft; base: Detail }, theirs: Detail) {
  const [now, then] = [draftOf(theirs), draftOf(base)]
  const label = (name: keyof Draft) => fieldLabels[name]
  return {
    clashes: mine.map((name) => ({
      label: label(name),
      theirs: fieldText(now[name]),
      mine: fieldText(draft[name]),
    })),
    also: differing(now, then)
      .filter((name) => !mine.includes(name))
      .map(label),
  }
}

const textsOf = (kept: Partial<Draft>) =>
  fieldNames.flatMap((name) => {
    const value = kept[name]
    return value === undefined ? [] : [{ label: fieldLabels[name], text: fieldText(value) }]
  })
