import { NativeSelect, Textarea, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'

import { type Draft, fieldLabels } from './edit-draft'
import { ListField } from './list-field'
import { difficultyText } from './words'

type Props = {
  draft: Draft
  onChange: (part: Partial<Draft>) => void
  errorAt: Partial<Record<keyof Draft, ReactNode>>
}

const difficulties = Object.entries(difficultyText).map(([value, label]) => ({ value, label }))

const asDifficulty = (value: string) => (value === 'easy' || value === 'hard' ? value : 'medium')

const hypothesisHint = 'If we build X, then Y will happen because Z'

/** Everything that an experiment says of itself. */
export function EditFields({ draft, onChange, errorAt }: Props) {
  const text = (name: 'title' | 'problem' | 'hypothesis' | 'impact') => ({
    label: fieldLabels[name],
    value: draft[name],
    error: errorAt[name],
    onChange: (event: { currentTarget: { value: string } }) => onChange({ [name]: event.currentTarget.value }),
  })
  const list = (name: 'methodology' | 'techStack' | 'successMetrics', one: string) => (
    <ListField
      label={fieldLabels[name]}
      one={one}
      rows={draft[name]}
      onChange={(rows) => onChange({ [name]: rows })}
      error={errorAt[name]}
    />
  )
  return (
    <>
      <TextInput {...text('title')} data-autofocus />
      <Textarea {...text('problem')} rows={4} />
      <Textarea {...text('hypothesis')} description={hypothesisHint} rows={3} />
      <Textarea {...text('impact')} rows={3} />
      <NativeSelect
        label={fieldLabels.difficulty}
        data={difficulties}
        value={draft.difficulty}
        error={errorAt.difficulty}
        onChange={(event) => onChange({ difficulty: asDifficulty(event.currentTarget.value) })}
      />
      <ProgressField value={draft.progress} error={errorAt.progress} onChange={(progress) => onChange({ progress })} />
      {list('methodology', 'step')}
      {list('techStack', 'tag')}
      {list('successMetrics', 'metric')}
    </>
  )
}

type ProgressProps = { value: string; error: ReactNode; onChange: (value: string) => void }

/** Percent, by number or by slider. */
function ProgressField({ value, error, onChange }: ProgressProps) {
  return (
    <div>
      <TextInput
        type="number"
        label="Progress, in percent"
        min={0}
        max={100}
        step={1}
        required
        withAsterisk={false}
        maw={220}
        value={value}
        error={error}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <input
        type="range"
        aria-label="Progress, as a slider"
        min={0}
        max={100}
        value={Number(value)}
        style={{ width: '100%', maxWidth: 420, marginTop: 8, accentColor: 'var(--cz-spent)' }}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  )
}
