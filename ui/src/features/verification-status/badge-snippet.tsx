import { Code, Group, Stack, Text } from '@mantine/core'

import { CopyText } from '@/components/copy-text'

import { badgePath, verificationPath } from './addresses'

/** The status as a picture for a README elsewhere, always as of now. */
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
