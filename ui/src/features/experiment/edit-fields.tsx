import { NativeSelect, Textarea, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'

import { difficulties, fieldOf, textNames } from '@/components/experiment-fields'

import { type Draft, fieldLabels } from './edit-draft'
import { ListField } from './list-field'

type Props = {
  draft: Draft
  onChange: (part: Partial<Draft>) => void
  errorAt: Partial<Record<keyof Draft, ReactNode>>
}

const choices = Object.entries(difficulties).map(([value, label]) => ({ value, label }))

const asDifficulty = (value: string) => (value === 'easy' || value === 'hard' ? value : 'medium')

/** The editable fields of an experiment. */
export function EditFields({ draft, onChange, errorAt }: Props) {
  const texts = textNames.map((name) => {
    const { label, rows, placeholder } = fieldOf(name)
    const shared = {
      label,
      value: draft[name],
      error: errorAt[name],
      onChange: (event: { currentTarget: { value: string } }) => onChange({ [name]: event.currentTarget.value }),
    }
    return rows === 1 ? (
      <TextInput key={name} {...shared} data-autofocus />
    ) : (
      <Textarea key={name} {...shared} rows={rows} description={placeholder} />
    )
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
      {texts}
      <NativeSelect
        label={fieldLabels.difficulty}
        data={choices}
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

/** Percent, by number or slider. */
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
