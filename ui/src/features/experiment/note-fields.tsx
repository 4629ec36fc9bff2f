import { Textarea, TextInput } from '@mantine/core'
import type { KeyboardEvent } from 'react'

import { useFocusOnMount } from '@/lib/use-focus-on-mount'

import { NotePreview } from './note-preview'

const longest = 8_000

// Counts code points, as the server does: an emoji is one character.
const lengthOf = (text: string) => [...text].length

export const isNote = (text: string) => text.trim() !== '' && lengthOf(text) <= longest

export const today = () => new Date().toISOString().slice(0, 10)

type DayProps = { value: string; error: string | undefined; onChange: (day: string) => void }

export function DayField({ value, error, onChange }: DayProps) {
  return (
    <TextInput
      type="date"
      label="Day"
      description="Days are UTC"
      required
      withAsterisk={false}
      maw={220}
      max={today()}
      value={value}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

type TextProps = { value: string; error: string | undefined; onChange: (text: string) => void }

/** The text of a note with a preview. */
export function NoteField({ value, error, onChange }: TextProps) {
  const field = useFocusOnMount<HTMLTextAreaElement>()
  const length = lengthOf(value)
  return (
    <>
      <Textarea
        ref={field}
        label="Note, in Markdown"
        description={
          <span className="numbers">
            {length} of {longest.toLocaleString('en')} characters. Ctrl+Enter saves.
          </span>
        }
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        rows={10}
        value={value}
        error={length > longest ? 'That is too long.' : error}
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={sendOnEnter}
      />
      <NotePreview text={value} />
    </>
  )
}

function sendOnEnter(event: KeyboardEvent<HTMLTextAreaElement>) {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
  event.preventDefault()
  event.currentTarget.form?.requestSubmit()
}
