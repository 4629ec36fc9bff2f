import { Checkbox, Radio, SimpleGrid, Stack, Text } from '@mantine/core'

import type { Choices } from './queries'

type VoiceProps = { voices: Choices['voices']; value: string; onChange: (voice: string) => void }

export function VoiceField({ voices, value, onChange }: VoiceProps) {
  return (
    <Radio.Group label="Voice" value={value} onChange={onChange}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} mt={6} spacing="xs">
        {voices.map(({ id, label, about }) => (
          <Radio key={id} value={id} label={label} description={about} />
        ))}
      </SimpleGrid>
    </Radio.Group>
  )
}

type WriterProps = Pick<Choices, 'models' | 'templates'> & {
  value: string[]
  error: string | null
  onChange: (writers: string[]) => void
}

/** The models, and the templates, which write without one. */
export function WriterField({ models, templates, value, error, onChange }: WriterProps) {
  return (
    <Checkbox.Group
      label={models.length === 0 ? 'Templates' : 'Models'}
      description={writersNote(models)}
      value={value}
      error={error}
      onChange={onChange}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} my={6} spacing="xs">
        {[...models, ...templates].map((name) => (
          <Checkbox
            key={name}
            value={name}
            label={<span className="wrap-anywhere">{name}</span>}
            description={templates.includes(name) && 'A template: fixed sentences around your topic, no AI'}
          />
        ))}
      </SimpleGrid>
    </Checkbox.Group>
  )
}

const writersNote = (models: string[]) =>
  models.length === 0
    ? 'No AI model is configured here. Templates fill in fixed sentences.'
    : 'With more than one, their names are hidden until you say which text is best'

type FactProps = { facts: Choices['facts']; value: string[]; onChange: (kinds: string[]) => void }

/** The facts that may be passed to the models, word for word. */
export function FactField({ facts, value, onChange }: FactProps) {
  if (facts.length === 0) return null
  return (
    <Checkbox.Group label="Facts" description="The writers are given exactly this" value={value} onChange={onChange}>
      <Stack mt={6} gap="xs">
        {facts.map(({ kind, label, text, unavailable }) => (
          <Checkbox
            key={kind}
            value={kind}
            label={label}
            description={
              <Text span inherit className="wrap-anywhere">
                {unavailable === undefined ? text : `Not available: ${unavailable}`}
              </Text>
            }
            disabled={unavailable !== undefined}
          />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
