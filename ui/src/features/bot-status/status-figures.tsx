import { Badge, SimpleGrid, Text } from '@mantine/core'
import type { ReactNode } from 'react'

import type { Schemas } from '@/api/client'
import { IconCheck, IconWarning } from '@/components/icons'
import { number } from '@/lib/plural'

type Bot = Schemas['BotStatus']

export function StatusFigures({ bot }: { bot: Bot }) {
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} component="dl" m={0}>
      <Figure
        label="Published this month"
        value={number(bot.postsThisMonth)}
        note={`${number(bot.reservedPosts)} more reserved`}
      />
      <Figure label="Remaining quota" value={number(bot.remainingPosts)} note="free slots" />
      <Figure label="Monthly limit" value={number(bot.monthlyLimit)} note="free tier" />
      <Figure label="Status" value={<Operation status={bot.status} />} note={bot.reason} />
    </SimpleGrid>
  )
}

function Operation({ status }: { status: Bot['status'] }) {
  const fine = status === 'active'
  return (
    <Badge
      size="lg"
      color={fine ? 'green' : 'orange'}
      variant="outline"
      leftSection={fine ? <IconCheck size={14} /> : <IconWarning size={14} />}
    >
      {fine ? 'operational' : 'limited'}
    </Badge>
  )
}

function Figure({ label, value, note }: { label: string; value: ReactNode; note: string | undefined }) {
  return (
    <div>
      <Text component="dt" size="sm" c="dimmed" fw={600}>
        {label}
      </Text>
      <Text component="dd" m={0} fz={24} fw={700} lh={1.4} className="numbers">
        {value}
      </Text>
      {note !== undefined && (
        <Text component="dd" m={0} size="sm" c="dimmed">
          {note}
        </Text>
      )}
    </div>
  )
}
