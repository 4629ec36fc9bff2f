import { Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import { type Post, useRestorePost } from '@/api/posts'
import { useMay } from '@/api/use-may'
import { notifyDone, notifyError } from '@/components/notify'
import { Section } from '@/components/section'

import { cancelledQuery } from './queries'
import classes from './scheduler.module.css'
import { when } from './use-mover'

const dayMs = 24 * 60 * 60 * 1000

/** Posts canceled since yesterday, with undo. */
export function RecentlyCancelled({ zone }: { zone: string }) {
  const { data } = useQuery(cancelledQuery)
  const may = useMay()
  const posts = (data?.posts ?? []).filter((post) => may.change(post) && isUndoable(post)).slice(0, 5)
  if (posts.length === 0) return null
  return (
    <Section title="Cancelled lately">
      <ul className={classes.cancelled}>
        {posts.map((post) => (
          <Cancelled key={post.id} post={post} zone={zone} />
        ))}
      </ul>
    </Section>
  )
}

// A post with a code was canceled by the system, which users cannot undo.
const isUndoable = ({ code, updatedAt, scheduledAt }: Post) =>
  code === undefined && Date.now() - Date.parse(updatedAt) < dayMs && Date.parse(scheduledAt) > Date.now()

function Cancelled({ post, zone }: { post: Post; zone: string }) {
  const undo = useUndo()
  return (
    <li>
      <Text size="sm" lineClamp={2} className="wrap-anywhere">
        {post.content}
      </Text>
      <Group justify="space-between" gap="xs">
        <Text size="xs" c="dimmed" className="numbers">
          {when(post.scheduledAt, zone)}
        </Text>
        <Button
          size="compact-sm"
          variant="default"
          loading={undo.isPending}
          onClick={() => undo.restore(post.id)}
          aria-label={`Undo the cancellation of: ${post.content.slice(0, 60)}`}
        >
          Undo
        </Button>
      </Group>
    </li>
  )
}

/** Restores a canceled post and reports the result. */
export function useUndo() {
  const restore = useRestorePost()
  return {
    isPending: restore.isPending,
    restore: (id: string) =>
      void restore.mutateAsync(id).then(
        () => notifyDone('The post is back, with its slot.'),
        (error: Error) => notifyError('The post is not back', error),
      ),
  }
}
