import { Textarea, TextInput } from '@mantine/core'
import type { ChangeEvent } from 'react'

import { fieldOf, type TextName } from '@/components/experiment-fields'

import { type Idea, isOffPattern, lengthOf, troubleOf } from './idea'

type Props = {
  name: TextName
  idea: Idea
  onChange: (change: Partial<Idea>) => void
  /** Whether a submit was attempted; before that, no missing text is reported. */
  checked: boolean
}

/** A text of an idea, with its limits. */
export function IdeaField({ name, idea, onChange, checked }: Props) {
  const text = idea[name]
  const { label, rows, placeholder } = fieldOf(name)
  const shared = {
    label,
    ...(placeholder !== undefined && { placeholder }),
    name,
    value: text,
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      onChange({ [name]: event.currentTarget.value }),
    required: true,
    description: <About name={name} text={text} />,
    inputWrapperOrder: ['label', 'input', 'description', 'error'] satisfies (
      | 'label'
      | 'input'
      | 'description'
      | 'error'
    )[],
    error: checked && troubleOf(name, text),
  }
  return rows === 1 ? <TextInput {...shared} data-autofocus /> : <Textarea {...shared} rows={rows} />
}

function About({ name, text }: { name: TextName; text: string }) {
  const { least, most } = fieldOf(name)
  return (
    <>
      <span className="numbers">
        {lengthOf(text)} of {most} characters, at least {least}
      </span>
      {name === 'hypothesis' && <Pattern hypothesis={text} />}
    </>
  )
}

function Pattern({ hypothesis }: { hypothesis: string }) {
  if (!isOffPattern(hypothesis)) return <>. If we build X, then Y will happen because Z.</>
  return (
    <span style={{ color: 'var(--cz-warning)' }}>
      . It does not say yet: If we build X, then Y will happen because Z. You can submit it all the same.
    </span>
  )
}
