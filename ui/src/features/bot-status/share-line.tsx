import { Text } from '@mantine/core'

import type { Schemas } from '@/api/client'
import { number, plural } from '@/lib/plural'
import { utcDay } from '@/lib/time'

/** How the month's slots are shared today. */
export function ShareLine({ bot }: { bot: Schemas['BotStatus'] }) {
  return (
    <Text size="sm" c="dimmed" className="numbers">
      {bot.members === 0
        ? 'No members yet, so all slots are in the founders’ share. '
        : `${plural(bot.members, 'member')}: each may hold ${plural(bot.memberShare, 'slot')}. `}
      The founders' share holds {number(bot.foundersShareHeld)} of {number(bot.foundersShare)}. All slots are free again
      on {utcDay(bot.resetsAt)}, UTC.
    </Text>
  )
}
