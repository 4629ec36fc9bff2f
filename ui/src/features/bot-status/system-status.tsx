import { Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import { botStatusQuery } from '@/api/bot-status'
import { Loaded } from '@/components/loaded'
import { Section } from '@/components/section'
import { UsageBar } from '@/components/usage-bar'

import { MonthGrid } from './month-grid'
import { ShareLine } from './share-line'
import { StatusFigures } from './status-figures'

export function SystemStatus() {
  const status = useQuery(botStatusQuery)
  return (
    <Section title="System status">
      <Loaded query={status} what="the bot's status" loading={<Skeleton h={220} aria-busy="true" />}>
        {(bot) => {
          const { postsThisMonth: spent, reservedPosts: reserved, monthlyLimit: limit } = bot
          return (
            <Stack gap="md">
              <StatusFigures bot={bot} />
              <UsageBar spent={spent} reserved={reserved} limit={limit} what="Slots of the month in use" />
              <MonthGrid month={bot.month} spent={spent} reserved={reserved} limit={limit} />
              <ShareLine bot={bot} />
            </Stack>
          )
        }}
      </Loaded>
    </Section>
  )
}
