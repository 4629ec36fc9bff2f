import { Stack, Text } from '@mantine/core'

import type { Schemas } from '@/api/client'
import { plural } from '@/lib/plural'

import { Times } from './posting-times-times'

type Props = { data: Schemas['RecurringPostPreview'] | undefined; refused: boolean; timezone: string }

/** A preview of the recurring post's next scheduled times. */
export function Preview({ data, refused, timezone }: Props) {
  return (
    <Stack gap={4} role="group" aria-label="Preview">
      <Text size="sm" fw={600} role="status" className="numbers">
        {summary(data, refused)}
      </Text>
      {data && !refused && <Times times={data.upcoming} timezone={timezone} />}
    </Stack>
  )
}

function summary(data: Props['data'], refused: boolean) {
  if (refused) return 'As it stands it cannot be kept.'
  if (data === undefined) return 'Write a text and choose times: here you see when it would post.'
  return `It takes ${plural(data.perMonth, 'slot')} in 30 days. Its next times:`
}
