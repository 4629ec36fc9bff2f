import { Code, Group, Stack, Text } from '@mantine/core'

import { CopyText } from '@/components/copy-text'

import { badgePath, verificationPath } from './addresses'

/** A badge to embed in a README; it always shows the current status. */
export function BadgeSnippet() {
  const markdown = `[![AI verification](${location.origin}${badgePath})](${location.origin}${verificationPath})`
  return (
    <Stack gap={4}>
      <Text component="h3" fw={650}>
        Badge
      </Text>
      <Group gap="sm">
        <img src={badgePath} alt="Badge: AI verification" height={20} data-moving />
        <CopyText text={markdown} what="Markdown of the badge" />
      </Group>
      <Code className="wrap-anywhere" fz="xs">
        {markdown}
      </Code>
    </Stack>
  )
}
