import { Text } from '@mantine/core'

/** The law requires this sentence next to a personal price. */
export function Disclosure({ text }: { text: string | undefined }) {
  if (text === undefined || text === '') return null
  return (
    <Text fw={700} size="sm" maw={520}>
      {text}
    </Text>
  )
}
