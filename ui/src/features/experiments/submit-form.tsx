import { Button, Group, Radio, Stack } from '@mantine/core'
import { type FormEvent, useRef, useState } from 'react'

import { difficulties, textNames } from '@/components/experiment-fields'

import { Guidelines } from './guidelines'
import { firstTrouble, type Idea, isComplete } from './idea'
import { IdeaField } from './idea-field'
import { SimilarIdeas } from './similar-ideas'
import { SubmitError } from './submit-error'

type Props = {
  idea: Idea
  onChange: (change: Partial<Idea>) => void
  onSubmit: (idea: Idea) => void
  onCancel: () => void
  pending: boolean
  error: Error | null
}

export function SubmitForm({ idea, onChange, onSubmit, onCancel, pending, error }: Props) {
  const [checked, setChecked] = useState(false)
  const form = useRef<HTMLFormElement>(null)

  function submit(event: FormEvent) {
    event.preventDefault()
    const trouble = firstTrouble(idea)
    setChecked(true)
    if (trouble === undefined) onSubmit(idea)
    else focusField(form.current, trouble)
  }

  return (
    <form ref={form} onSubmit={submit} noValidate>
      <Stack gap="md">
        <Guidelines />
        {textNames.map((name) => (
          <div key={name}>
            <IdeaField name={name} idea={idea} onChange={onChange} checked={checked} />
            {name === 'title' && <SimilarIdeas title={idea.title} />}
          </div>
        ))}
        <Difficulty value={idea.difficulty} onChange={(difficulty) => onChange({ difficulty })} />
        {!pending && <SubmitError error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" disabled={!isComplete(idea)} loading={pending}>
            Submit
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

type Level = Idea['difficulty']

const levels = Object.entries(difficulties) as [Level, string][]

function Difficulty({ value, onChange }: { value: Level; onChange: (level: Level) => void }) {
  const choose = (chosen: string) => onChange(levels.find(([level]) => level === chosen)?.[0] ?? value)
  return (
    <Radio.Group label="Difficulty" description="How long it may take to build" value={value} onChange={choose}>
      <Group gap="lg" mt={6}>
        {levels.map(([level, label]) => (
          <Radio key={level} value={level} label={label} />
        ))}
      </Group>
    </Radio.Group>
  )
}

function focusField(form: HTMLFormElement | null, name: string) {
  const field = form?.elements.namedItem(name)
  if (field instanceof HTMLElement) field.focus()
}
