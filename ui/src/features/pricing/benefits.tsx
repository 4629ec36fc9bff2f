import { SimpleGrid, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'

import { botStatusQuery } from '@/api/bot-status'
import type { Schemas } from '@/api/client'
import { useSession } from '@/api/session'
import { IconCheck } from '@/components/icons'
import { Section } from '@/components/section'
import { number, plural } from '@/lib/plural'

import classes from './pricing.module.css'

/** The benefits of a membership today and later. */
export function Benefits() {
  const { data: bot } = useQuery(botStatusQuery)
  const { session } = useSession()
  const isMember = session?.user?.memberId !== undefined
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Section title="What you buy now">
        <ul className={classes.benefits}>
          <Benefit>
            <strong>90 credits.</strong> A post in your name costs one; a post that does not go out gives it back.
          </Benefit>
          <Benefit>
            <strong>A share of 500 posts a month.</strong> Every member may hold 1/(members + 1) of them; the last part
            is the founders’ share. {bot && (isMember ? shareNow(bot) : shareWithYou(bot))}
          </Benefit>
          <Benefit>
            <strong>One vote</strong> on every experiment, the same as everybody else's.
          </Benefit>
          <Benefit>
            <strong>Proof.</strong> Each post, price and vote names the run that made it, and anybody may open that run.
          </Benefit>
        </ul>
        <Text size="sm" c="dimmed" mt="md">
          Founding members are also called shareholders. The share is of the posting quota: no equity, and no right to
          profit.
        </Text>
      </Section>
      <Section title="What comes later">
        <ul className={classes.benefits}>
          <Benefit>
            <strong>Value-based pricing.</strong> One day the price should follow what a membership is worth to you, not
            what it costs us.
          </Benefit>
          <Benefit>
            <strong>An estimated 3-6 months of learnings</strong> come first. What founding members do with their posts
            is what we learn from.
          </Benefit>
          <Benefit>
            <strong>Your fee is paid.</strong> Whatever later members will pay, a founding member is charged nothing
            more.
          </Benefit>
        </ul>
      </Section>
    </SimpleGrid>
  )
}

const shareNow = ({ members, memberShare }: Schemas['BotStatus']) =>
  `With you, there are ${plural(members, 'member')}, with ${number(memberShare)} posts each.`

const shareWithYou = (bot: Schemas['BotStatus']) =>
  `With you, there would be ${plural(bot.members + 1, 'member')}, with ${number(nextShare(bot))} posts each.`

const nextShare = ({ monthlyLimit, members }: Schemas['BotStatus']) => Math.floor(monthlyLimit / (members + 2))

function Benefit({ children }: { children: ReactNode }) {
  return (
    <li>
      <IconCheck />
      <span>{children}</span>
    </li>
  )
}
