import { Text } from '@mantine/core'

import { clockTime } from '@/lib/time'

/** Says that what is shown is made up, and since when. */
export function SampleNote({ since }: { since: number }) {
  return (
    <Text role="status" size="sm" c="var(--mantine-color-error)" data-moving>
      Live data is unavailable since {clockTime(since)}. This is a sample, not our lab.
    </Text>
  )
}
