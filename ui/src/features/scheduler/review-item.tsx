import { Badge, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

import type { Post } from '@/api/posts'
import { SponsorBadge } from '@/components/sponsor-badge'
import { handle } from '@/lib/handle'
import { zonedTime } from '@/lib/time'

import { TwoTexts } from './composer-compare'
import { styleOf } from './post-style'
import classes from './review.module.css'

type Props = { post: Post; timezone: string; children?: ReactNode }

/** A post in review: its text, its time and its comments. */
export function ReviewItem({ post, timezone, children }: Props) {
  const { label, color, icon: Icon } = styleOf(post)
  return (
    <li className={classes.item}>
      <Stack gap="xs">
        <Group gap="xs">
          <Badge variant="outline" color={color} leftSection={<Icon size={12} />}>
            {label}
          </Badge>
          <SponsorBadge username={post.member.username} />
          <Text size="sm" c="dimmed">
            for <time dateTime={post.scheduledAt}>{zonedTime(post.scheduledAt, timezone)}</time>
          </Text>
        </Group>
        <Texts post={post} />
        {children}
      </Stack>
    </li>
  )
}

function Texts({ post: { content, review } }: { post: Post }) {
  const by = review?.reviewer ? handle(review.reviewer) : 'A founder'
  return (
    <>
      {review?.suggestion ? (
        <TwoTexts
          left={{ title: 'As it was written', text: content }}
          right={{ title: `What ${by} suggests`, text: review.suggestion }}
        />
      ) : (
        <Text className={`wrap-anywhere ${classes.words}`}>{content}</Text>
      )}
      {review?.reason && (
        <Text size="sm" className="wrap-anywhere">
          {by} says: {review.reason}
        </Text>
      )}
    </>
  )
}
