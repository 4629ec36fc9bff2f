import { Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import { Loaded } from '@/components/loaded'
import { browserZone, localTime, zonedTime } from '@/lib/time'

import { freeTimesQuery } from './posting-times-queries'

/** The next free times of the queue. */
export function NextFreeTimes({ timezone }: { timezone: string }) {
  const free = useQuery(freeTimesQuery)
  return (
    <Stack gap={4}>
      <Text fw={600} size="sm">
        The next free times, as saved
      </Text>
      <Loaded query={free} what="the free times" loading={<Skeleton h={60} aria-busy="true" />}>
        {({ times }) => <Times times={times} timezone={timezone} />}
      </Loaded>
    </Stack>
  )
}

/** Times in a zone and, if different, in the reader's zone. */
export function Times({ times, timezone }: { times: string[]; timezone: string }) {
  if (times.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        There is none. Add times of the week above.
      </Text>
    )
  }
  return (
    <ol style={{ margin: 0, paddingLeft: '1.25rem' }} className="numbers">
      {times.map((at) => (
        <li key={at}>
          <time dateTime={at}>{zonedTime(at, timezone)}</time>
          {timezone !== browserZone() && (
            <Text span size="sm" c="dimmed">
              {' '}
              ({localTime(at)} where you are)
            </Text>
          )}
        </li>
      ))}
    </ol>
  )
}
