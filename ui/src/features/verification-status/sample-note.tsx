import { Text } from '@mantine/core'

import { clockTime } from '@/lib/time'

/** States that the data is a sample, and since when. */
export function SampleNote({ since }: { since: number }) {
  return (
    <Text role="status" size="sm" c="var(--mantine-color-error)" data-moving>
      Live data is unavailable since {clockTime(since)}. These are sample numbers, not ours.
    </Text>
  )
}
