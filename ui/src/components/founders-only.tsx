import { Anchor, Text } from '@mantine/core'

import { useFounderKey } from '@/api/founder-key'

import { useOpenFounderAccess } from './founder-access'

/** A hint under a founders' control, for those who have shown no key yet. */
export function FoundersOnly({ what }: { what: string }) {
  const { key, refused } = useFounderKey()
  const open = useOpenFounderAccess()
  if (key !== null && !refused) return null
  return (
    <Text size="sm" c="dimmed">
      {key === null ? `Only founders can ${what}. ` : 'The server refused the founder key. '}
      <Anchor component="button" type="button" size="sm" underline="always" onClick={open}>
        {key === null ? 'Enter the founder key' : 'Enter another key'}
      </Anchor>
    </Text>
  )
}
