import { SimpleGrid, TextInput } from '@mantine/core'
import { useCallback } from 'react'
import { WeekField } from './posting-times-week-field'
import { ZoneField } from './posting-times-zone-field'
import { type Draft, refusalAt } from './recurring-draft'
import { TextsField } from './recurring-texts-field'

type Props = { draft: Draft; onChange: (part: Partial<Draft>) => void; refusal: Error | null }

/** The texts and times, each with its own error. */
export function RecurringFields({ draft, onChange, refusal }: Props) {
  const setZone = useCallback((timezone: string) => onChange({ timezone }), [onChange])
  return (
    <>
      <TextsField texts={draft.texts} onChange={(texts) => onChange({ texts })} error={refusalAt('texts', refusal)} />
      <WeekField
        rows={draft.rows}
        onChange={(rows) => onChange({ rows })}
        most={20}
        error={refusalAt('times', refusal)}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <ZoneField value={draft.timezone} onChange={setZone} error={refusalAt('timezone', refusal)} />
        <TextInput
          type="date"
          label="Last day"
          description="Empty: until somebody ends it"
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={draft.endsOn}
          error={refusalAt('endsOn', refusal)}
          onChange={(event) => onChange({ endsOn: event.currentTarget.value })}
        />
      </SimpleGrid>
    </>
  )
}
