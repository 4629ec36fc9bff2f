import { Code, Group, Stack, Text } from '@mantine/core'

import { CopyText } from '@/components/copy-text'

import { type BadgeName, badgePath } from './addresses'

const badges: { name: BadgeName; about: string }[] = [
  { name: 'score', about: 'Resilience score' },
  { name: 'last-heal', about: 'Last heal' },
]

/** Badges to embed in a README; they always show the current state. */
export function Badges() {
  return (
    <Stack gap="sm">
      <Text component="h3" fw={650}>
        Badges
      </Text>
      {badges.map(({ name, about }) => (
        <Stack key={name} gap={4}>
          <Group gap="sm">
            <img src={badgePath(name)} alt={`Badge: ${about}`} height={20} />
            <CopyText text={markdown(name, about)} what={`Markdown of “${about}”`} />
          </Group>
          <Code className="wrap-anywhere" fz="xs">
            {markdown(name, about)}
          </Code>
        </Stack>
      ))}
    </Stack>
  )
}

const markdown = (name: BadgeName, about: string) =>
  `[![${about}](${location.origin}${badgePath(name)})](${location.origin}/chaos-monkey)`
