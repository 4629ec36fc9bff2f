import { Card, Code, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'

import type { Schemas } from '@/api/client'

import { AiBadge } from './ai-badge'
import { CopyLink } from './copy-link'
import { EngagementScore } from './engagement-score'
import { ExternalLink } from './external-link'
import classes from './post-card.module.css'
import { RunLink } from './run-link'
import { SponsorBadge } from './sponsor-badge'

type Props = { post: Schemas['BotPost']; handle: string; when: ReactNode }

/** A published post with links to the post on X and to its run. */
export function PostCard({ post, handle, when }: Props) {
  return (
    <Card
      component="article"
      withBorder
      padding="md"
      id={`post-${post.id}`}
      tabIndex={-1}
      className={classes.card ?? ''}
    >
      <Group justify="space-between" align="baseline" gap="xs" mb={6} wrap="nowrap">
        <Group gap="xs">
          <Text fw={650}>{handle}</Text>
          <SponsorBadge username={post.member.username} />
          <AiBadge shown={post.madeWithAi} />
          <Text size="sm" c="dimmed">
            {when}
          </Text>
        </Group>
        <ExternalLink href={post.twitterUrl} size="sm">
          View on X
        </ExternalLink>
      </Group>
      <Text className="wrap-anywhere" style={{ whiteSpace: 'pre-wrap' }}>
        {post.content}
      </Text>
      <Group gap="xs" mt="sm" className={classes.facts ?? ''}>
        <EngagementScore score={post.engagementScore} counts={post.engagement} />
        <Text size="sm" c="dimmed" className="numbers">
          Slot {post.slot.number} of {post.slot.month}
        </Text>
        <Group gap={4} className={classes.address ?? ''}>
          <Code>{lastSegment(post.twitterUrl)}</Code>
          <CopyLink url={post.twitterUrl} />
        </Group>
        <RunLink href={post.runUrl} size="sm">
          Open run
        </RunLink>
      </Group>
    </Card>
  )
}

const lastSegment = (url: string) => url.split(/[?#]/, 1)[0]?.split('/').filter(Boolean).at(-1) ?? url
