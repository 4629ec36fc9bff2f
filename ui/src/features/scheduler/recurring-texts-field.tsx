import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useRef } from 'react'
import { flushSync } from 'react-dom'

import { IconPlus } from '@/components/icons'
import { TextField } from '@/components/post-text-field'

import type { Text as Variant } from './recurring-draft'

const most = 12

type Props = { texts: Variant[]; onChange: (texts: Variant[]) => void; error?: string | undefined }

/** The texts of a recurring post, which are used in this order. */
export function TextsField({ texts, onChange, error }: Props) {
  const list = useRef<HTMLDivElement>(null)
  const focusText = (i: number) => list.current?.querySelectorAll('textarea')[i]?.focus()
  const add = () => {
    const key = Math.max(...texts.map((one) => one.key)) + 1
    flushSync(() => onChange([...texts, { key, text: '' }]))
    focusText(texts.length)
  }
  const remove = (i: number) => {
    flushSync(() => onChange(texts.toSpliced(i, 1)))
    focusText(Math.max(0, i - 1))
  }
  const move = (i: number, to: number) => {
    flushSync(() => onChange(moved(texts, i, to)))
    focusText(to)
  }
  return (
    <Stack gap="sm" role="group" aria-label="Texts" ref={list}>
      <Text size="sm" c="dimmed">
        X refuses the same text twice. Write several, which take turns, or put {'{date}'} or {'{number}'} into one: they
        become the day, and the number of the post.
      </Text>
      {texts.map(({ key, text }, i) => (
        <div key={key}>
          <TextField
            label={`Text ${i + 1}`}
            value={text}
            onChange={(now) => onChange(texts.map((one) => (one.key === key ? { key, text: now } : one)))}
          />
          {texts.length > 1 && (
            <Moves i={i} last={texts.length - 1} onMove={(to) => move(i, to)} onRemove={() => remove(i)} />
          )}
        </div>
      ))}
      {error !== undefined && (
        <Alert color="red" variant="outline">
          {error}
        </Alert>
      )}
      <Group>
        <Button
          size="sm"
          variant="default"
          leftSection={<IconPlus size={14} />}
          disabled={texts.length >= most}
          onClick={add}
        >
          Add a text
        </Button>
      </Group>
    </Stack>
  )
}

const moved = (texts: Variant[], from: number, to: number) =>
  texts.toSpliced(from, 1).toSpliced(to, 0, ...texts.slice(from, from + 1))

type MovesProps = { i: number; last: number; onMove: (to: number) => void; onRemove: () => void }

function Moves({ i, last, onMove, onRemove }: MovesProps) {
  const name = `text ${i + 1}`
  const quiet = { size: 'compact-sm', variant: 'subtle' } as const
  return (
    <Group gap={4} mt={4}>
      <Button {...quiet} disabled={i === 0} onClick={() => onMove(i - 1)} aria-label={`Move ${name} up`}>
        Up
      </Button>
      <Button {...quiet} disabled={i === last} onClick={() => onMove(i + 1)} aria-label={`Move ${name} down`}>
        Down
      </Button>
      <Button {...quiet} color="gray" onClick={onRemove} aria-label={`Remove ${name}`}>
        Remove
      </Button>
    </Group>
  )
}
