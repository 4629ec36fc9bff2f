import { Button, Stack, Text, Textarea } from '@mantine/core'
import { type ChangeEvent, type FormEvent, useState } from 'react'

import classes from './import.module.css'
import type { CsvFile } from './import-queries'

const maxBytes = 1_048_576

type Props = { onFile: (file: CsvFile) => void }

/** Reads the lines from a file, chosen or dropped, or from the clipboard. */
export function ImportSource({ onFile }: Props) {
  const [tooLarge, setTooLarge] = useState(false)

  function take(name: string, bytes: Uint8Array<ArrayBuffer>) {
    setTooLarge(bytes.length > maxBytes)
    if (bytes.length <= maxBytes) onFile({ name, bytes })
  }

  return (
    <Stack gap="md">
      <FileField onFile={take} />
      <PasteField onPaste={(text) => take('What you pasted', new TextEncoder().encode(text))} />
      {tooLarge && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          That is more than 1 MB. Split it, and import the parts one after the other.
        </Text>
      )}
    </Stack>
  )
}

// The input covers its whole label, because browsers accept files dropped on an input.
function FileField({ onFile }: { onFile: (name: string, bytes: Uint8Array<ArrayBuffer>) => void }) {
  async function choose(event: ChangeEvent<HTMLInputElement>) {
    const field = event.currentTarget
    const [file] = field.files ?? []
    if (file === undefined) return
    const bytes = new Uint8Array(await file.arrayBuffer())
    field.value = '' // the same file, mended, can be chosen again
    onFile(file.name, bytes)
  }
  return (
    <label className={classes.drop}>
      <span>
        <strong>Choose a CSV file</strong>, or drop it here
      </span>
      <Text size="sm" c="dimmed" component="span">
        At most 1 MB and 500 posts. You see what would happen before anything is written.
      </Text>
      <input type="file" accept=".csv,text/csv" onChange={(event) => void choose(event)} />
    </label>
  )
}

function PasteField({ onPaste }: { onPaste: (text: string) => void }) {
  const [text, setText] = useState('')
  function submit(event: FormEvent) {
    event.preventDefault()
    onPaste(text)
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="xs" align="flex-start">
        <Textarea
          w="100%"
          label="Or paste the lines here"
          rows={3}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          placeholder="text,scheduled_at,timezone"
        />
        <Button type="submit" variant="default" disabled={text.trim() === ''}>
          Check the lines
        </Button>
      </Stack>
    </form>
  )
}
