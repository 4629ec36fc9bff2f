import { Group, Text } from '@mantine/core'
import type { Post } from '@/api/posts'
import { ExternalLink } from '@/components/external-link'
import { StatusBadge } from '@/components/post-status-badge'
import { RunLink } from '@/components/run-link'
import { SponsorBadge } from '@/components/sponsor-badge'
import type { Dialog } from './dialogs'
import classes from './post-queue.module.css'
import { QueueActions } from './queue-actions'
import { QueueTime } from './queue-time'

type Props = { post: Post; onAct?: (dialog: Dialog) => void }

export function QueueItem({ post, onAct }: Props) {
  return (
    <li className={classes.item}>
      <Group gap="xs" mb={6}>
        <StatusBadge status={post.status} />
        <SponsorBadge username={post.member.username} />
        <QueueTime post={post} />
      </Group>
      <Text className="wrap-anywhere" style={{ whiteSpace: 'pre-wrap' }}>
        {post.content}
      </Text>
      {post.reason !== undefined && (
        <Text size="sm" mt={4} c="dimmed">
          {post.reason}
        </Text>
      )}
      <Group justify="space-between" gap="xs" mt="xs">
        <Facts post={post} />
        {onAct && <QueueActions post={post} onAct={onAct} />}
      </Group>
    </li>
  )
}

function Facts({ post }: { post: Post }) {
  return (
    <Group gap="md" fz="sm" c="dimmed" className="numbers">
      {post.slot && (
        <span>
          Slot {post.slot.number} of {post.slot.month}
        </span>
      )}
      {post.attempt > 1 && <span>Attempt {post.attempt}</span>}
      {post.madeWithAi && <span>Written with AI</span>}
      {post.twitterUrl !== undefined && (
        <ExternalLink href={post.twitterUrl} size="sm">
          View on X
        </ExternalLink>
      )}
      {post.runId !== '' && (
        <RunLink href={post.runUrl} size="sm">
          Open run
        </RunLink>
      )}
    </Group>
  )
}
