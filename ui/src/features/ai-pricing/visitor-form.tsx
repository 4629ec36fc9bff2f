import { Button, Group, NativeSelect, SimpleGrid, Stack } from '@mantine/core'

import { duration } from '@/lib/duration'
import { plural } from '@/lib/plural'
import { visitorKind } from '@/lib/visitor-kind'

import { Range } from './range'
import { isSame, scenarios, type Visitor } from './scenarios'

type Props = {
  visitor: Visitor
  onChange: (visitor: Visitor) => void
  disabled: boolean
  running: boolean
  onRun: () => void
}

export function VisitorForm({ visitor, onChange, disabled, running, onRun }: Props) {
  const set = (change: Partial<Visitor>) => onChange({ ...visitor, ...change })
  return (
    <Stack gap="lg">
      <Scenarios visitor={visitor} onChange={onChange} disabled={disabled} />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
        <Range
          label="Visits"
          value={visitor.visits}
          text={plural(visitor.visits, 'visit')}
          min={1}
          max={20}
          disabled={disabled}
          onChange={(visits) => set({ visits })}
        />
        <Range
          label="Time on the site"
          value={visitor.time_on_site}
          text={duration(visitor.time_on_site)}
          min={10}
          max={600}
          step={10}
          disabled={disabled}
          onChange={(time_on_site) => set({ time_on_site })}
        />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="lg">
        <YesNo
          label="Looked at the prices"
          value={visitor.viewed_pricing}
          disabled={disabled}
          onChange={(viewed_pricing) => set({ viewed_pricing })}
        />
        <YesNo
          label="Asked to buy before"
          value={visitor.added_to_cart}
          disabled={disabled}
          onChange={(added_to_cart) => set({ added_to_cart })}
        />
        <NativeSelect
          label="Kind of visitor"
          data={Object.entries(visitorKind).map(([value, label]) => ({ value, label }))}
          value={visitor.user_type}
          disabled={disabled}
          onChange={(event) => set({ user_type: event.currentTarget.value as Visitor['user_type'] })}
        />
      </SimpleGrid>
      <Group>
        <Button size="md" disabled={disabled} onClick={onRun}>
          {running ? 'AI Analyzing...' : 'Run AI Analysis'}
        </Button>
      </Group>
    </Stack>
  )
}

function Scenarios({ visitor, onChange, disabled }: Pick<Props, 'visitor' | 'onChange' | 'disabled'>) {
  return (
    <Group gap="xs" role="group" aria-label="Quick scenarios">
      {scenarios.map((scenario) => {
        const chosen = isSame(scenario.visitor, visitor)
        return (
          <Button
            key={scenario.name}
            size="sm"
            variant={chosen ? 'filled' : 'default'}
            aria-pressed={chosen}
            disabled={disabled}
            onClick={() => onChange(scenario.visitor)}
          >
            {scenario.name}
          </Button>
        )
      })}
    </Group>
  )
}

type YesNoProps = { label: string; value: boolean; disabled: boolean; onChange: (value: boolean) => void }

function YesNo({ label, value, disabled, onChange }: YesNoProps) {
  return (
    <NativeSelect
      label={label}
      data={['yes', 'no']}
      value={value ? 'yes' : 'no'}
      disabled={disabled}
      onChange={(event) => onChange(event.currentTarget.value === 'yes')}
    />
  )
}
