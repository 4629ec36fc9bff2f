import { Stack, Text, Title } from '@mantine/core'

import { difficulties, fieldOf, textNames } from '@/components/experiment-fields'
import { Section } from '@/components/section'

import type { Detail } from './words'

/** The reason for the experiment and the expected result. */
export function Idea({ experiment }: { experiment: Detail }) {
  return (
    <Section title="The idea">
      <Stack gap="md" maw={760}>
        {textNames
          .filter((name) => name !== 'title')
          .map((name) => (
            <Said key={name} title={fieldOf(name).label}>
              {experiment[name]}
            </Said>
          ))}
        <Said title="Difficulty">{difficulties[experiment.difficulty]}</Said>
      </Stack>
    </Section>
  )
}

function Said({ title, children }: { title: string; children: string }) {
  return (
    <div>
      <Title order={3} size="h5">
        {title}
      </Title>
      <Text className="wrap-anywhere" style={{ whiteSpace: 'pre-line' }}>
        {children}
      </Text>
    </div>
  )
}
