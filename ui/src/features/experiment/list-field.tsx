import { Button, Group, Text, TextInput } from '@mantine/core'
import { type ReactNode, useId, useRef } from 'react'
import { flushSync } from 'react-dom'

import { IconPlus } from '@/components/icons'

import type { Row } from './edit-draft'
import classes from './experiment.module.css'

const most = 20

type Props = { label: string; one: string; rows: Row[]; onChange: (rows: Row[]) => void; error: ReactNode }

/** Lines that can be edited, added, removed and reordered. */
export function ListField({ label, one, rows, onChange, error }: Props) {
  const list = useRef<HTMLFieldSetElement>(null)
  const trouble = useId()
  const focusRow = (place: number) => list.current?.querySelectorAll('input')[place]?.focus()

  // The focus moves to the new line, the moved one, or the neighbor of a removed one.
  function put(next: Row[], place: number) {
    flushSync(() => onChange(next))
    focusRow(Math.max(0, place))
  }
  const add = () => put([...rows, { key: Math.max(-1, ...rows.map(({ key }) => key)) + 1, text: '' }], rows.length)

  return (
    <fieldset ref={list} className={classes.rows} {...(error !== undefined && { 'aria-describedby': trouble })}>
      <Text component="legend" size="sm" fw={600} mb={4}>
        {label}
      </Text>
      {rows.map(({ key, text }, place) => (
        <Line
          key={key}
          name={`${one} ${place + 1}`}
          text={text}
          wrong={error !== undefined}
          last={place === rows.length - 1}
          first={place === 0}
          onWrite={(now) => onChange(rows.map((row) => (row.key === key ? { key, text: now } : row)))}
          onMove={(by) => put(moved(rows, place, place + by), place + by)}
          onRemove={() => put(rows.toSpliced(place, 1), place - 1)}
        />
      ))}
      {error !== undefined && (
        <Text id={trouble} size="sm" c="var(--mantine-color-error)">
          {error}
        </Text>
      )}
      <Group>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconPlus size={14} />}
          disabled={rows.length >= most}
          onClick={add}
        >
          Add a {one}
        </Button>
      </Group>
    </fieldset>
  )
}

const moved = (rows: Row[], from: number, to: number) =>
  rows.toSpliced(from, 1).toSpliced(to, 0, ...rows.slice(from, from + 1))

type LineProps = {
  name: string
  text: string
  wrong: boolean
  first: boolean
  last: boolean
  onWrite: (text: string) => void
  onMove: (by: -1 | 1) => void
  onRemove: () => void
}

function Line({ name, text, wrong, first, last, onWrite, onMove, onRemove }: LineProps) {
  const quiet = { size: 'compact-sm', variant: 'subtle' } as const
  const label = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
  return (
    <Group gap={4} wrap="wrap">
      <TextInput
        aria-label={label}
        style={{ flex: '1 1 14rem' }}
        value={text}
        error={wrong}
        onChange={(event) => onWrite(event.currentTarget.value)}
      />
      <Group gap={4} wrap="nowrap">
        <Button {...quiet} disabled={first} onClick={() => onMove(-1)} aria-label={`Move ${name} up`}>
          Up
        </Button>
        <Button {...quiet} disabled={last} onClick={() => onMove(1)} aria-label={`Move ${name} down`}>
          Down
        </Button>
        <Button {...quiet} color="gray" onClick={onRemove} aria-label={`Remove ${name}`}>
          Remove
        </Button>
      </Group>
    </Group>
  )
}
