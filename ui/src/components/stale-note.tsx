import { Text } from '@mantine/core'

import { clockTime } from '@/lib/time'
import type { Trouble } from '@/lib/use-trouble'

/** A note that the data shown may be outdated. */
export function StaleNote({ trouble }: { trouble: Trouble | null }) {
  return (
    <div role="status" data-moving>
      {trouble && (
        <Text size="sm" c="var(--mantine-color-error)">
          Live data is unavailable; this is what we knew at {clockTime(trouble.since)}.
        </Text>
      )}
    </div>
  )
}
