import { Stack, Text, Title } from '@mantine/core'

import { Section } from '@/components/section'

import { type Detail, difficultyText } from './words'

/** Why it is tried, and what is expected of it. */
export function Idea({ experiment: { problem, hypothesis, impact, difficulty } }: { experiment: Detail }) {
  return (
    <Section title="The idea">
      <Stack gap="md" maw={760}>
        <Said title="Problem">{problem}</Said>
        <Said title="Hypothesis">{hypothesis}</Said>
        <Said title="Impact">{impact}</Said>
        <Said title="Difficulty">{difficultyText[difficulty]}</Said>
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
