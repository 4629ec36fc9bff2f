import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useRef } from 'react'
import { flushSync } from 'react-dom'

import { IconCross, IconPlus } from '@/components/icons'

import classes from './posting-times.module.css'
import { days, type Row, rowTrouble } from './posting-times-week'

type Props = { rows: Row[]; onChange: (rows: Row[]) => void; most: number; error?: string | undefined }

/** The weekly times, each with its days. */
export function WeekField({ rows, onChange, most, error }: Props) {
  const list = useRef<HTMLDivElement>(null)
  const fields = (selector: string) => list.current?.querySelectorAll<HTMLElement>(selector) ?? []
  const add = () => {
    const key = Math.max(0, ...rows.map((row) => row.key)) + 1
    flushSync(() => onChange([...rows, { key, time: '09:00', days: [] }]))
    ;[...fields('input[type=time]')].at(-1)?.focus()
  }
  const remove = (gone: Row) => {
    flushSync(() => onChange(rows.filter((row) => row !== gone)))
    fields('[data-add]')[0]?.focus()
  }
  return (
    <Stack gap="sm" role="group" aria-label="Times of the week" ref={list}>
      {rows.map((row, i) => (
        <TimeRow
          key={row.key}
          row={row}
          name={`Time ${i + 1}`}
          onChange={(next) => onChange(rows.map((old) => (old === row ? next : old)))}
          onRemove={() => remove(row)}
        />
      ))}
      {rows.length === 0 && (
        <Text size="sm" c="dimmed">
          No times yet.
        </Text>
      )}
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
          disabled={rows.length >= most}
          onClick={add}
          data-add
        >
          Add a time
        </Button>
      </Group>
    </Stack>
  )
}

type RowProps = { row: Row; name: string; onChange: (row: Row) => void; onRemove: () => void }

function TimeRow({ row, name, onChange, onRemove }: RowProps) {
  const trouble = rowTrouble(row)
  const toggle = (day: number) =>
    onChange({ ...row, days: row.days.includes(day) ? row.days.filter((it) => it !== day) : [...row.days, day].sort() })
  return (
    <fieldset className={classes.row}>
      <legend className={classes.legend}>{name}</legend>
      <TextInput
        type="time"
        aria-label="Time"
        className={classes.time ?? ''}
        value={row.time}
        onChange={(event) => onChange({ ...row, time: event.currentTarget.value })}
      />
      <div className={classes.days}>
        {days.map(({ day, short, long }) => (
          <label key={day} className={classes.day}>
            <input type="checkbox" checked={row.days.includes(day)} onChange={() => toggle(day)} aria-label={long} />
            <span aria-hidden="true">{short}</span>
          </label>
        ))}
      </div>
      <Button
        size="compact-sm"
        variant="subtle"
        color="gray"
        leftSection={<IconCross size={14} />}
        onClick={onRemove}
        aria-label={`Remove ${name.toLowerCase()}`}
      >
        Remove
      </Button>
      {trouble !== undefined && (
        <Text size="sm" className={classes.trouble ?? ''}>
          {trouble}
        </Text>
      )}
    </fieldset>
  )
}
