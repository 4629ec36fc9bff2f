import { Card, SimpleGrid, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'

import { botStatusQuery } from '@/api/bot-status'
import { Section } from '@/components/section'

export function ValueSystem() {
  const { data: bot } = useQuery(botStatusQuery)
  return (
    <Section title="How a share works">
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <Value title="$9 once, 90 credits">
          One founding fee and no recurring charge. A post in a member's name costs one credit; a post that does not go
          out gives it back.
        </Value>
        <Value title="An equal share of 500">
          The bot has 500 posts a month. Each member may hold 1/(members + 1) of them, and the last part is the
          founders’ share.
          {bot && bot.members > 0 && ` Today that is ${bot.memberShare} a member.`}
        </Value>
        <Value title="Every claim is a run">
          A post, its slot and its outcome come from one durable run, which stays open for inspection. Nobody has to
          take our word for it.
        </Value>
      </SimpleGrid>
      <Text size="sm" c="dimmed" mt="md">
        A shareholder has a share of the posting quota: no equity, and no right to profit.
      </Text>
    </Section>
  )
}

function Value({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card withBorder padding="md">
      <Title order={3} fz="md" mb={6}>
        {title}
      </Title>
      <Text size="sm">{children}</Text>
    </Card>
  )
}
