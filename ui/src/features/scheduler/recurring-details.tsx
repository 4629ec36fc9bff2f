import { Anchor, Badge, Group, Modal, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router'

import type { Schemas } from '@/api/client'
import { EmptyState } from '@/components/empty-state'
import { ExternalLink } from '@/components/external-link'
import { IconSlash } from '@/components/icons'
import { Loaded } from '@/components/loaded'
import { StatusBadge } from '@/components/post-status-badge'
import { zonedTime } from '@/lib/time'

import classes from './recurring.module.css'
import { RecurringFacts } from './recurring-item'
import { recurringPostQuery } from './recurring-queries'

/** The recurring post in the URL and its latest scheduled times. */
export function RecurringPostDetails({ timezone }: { timezone: string }) {
  const [params, setParams] = useSearchParams()
  const id = params.get('recurring')
  function close() {
    const rest = new URLSearchParams(params)
    rest.delete('recurring')
    setParams(rest, { replace: true, preventScrollReset: true })
  }
  return (
    <Modal opened={id !== null} onClose={close} title="The recurring post" size="lg">
      {id !== null && <Details id={id} timezone={timezone} />}
    </Modal>
  )
}

function Details({ id, timezone }: { id: string; timezone: string }) {
  const details = useQuery(recurringPostQuery(id))
  return (
    <Loaded query={details} what="the recurring post" loading={<Skeleton h={200} aria-busy="true" />}>
      {({ recurringPost: recurring, scheduledTimes }) => (
        <Stack gap="lg">
          <RecurringFacts recurring={recurring} timezone={timezone} />
          <div>
            <Title order={3} fz="md" mb="xs">
              Its latest times
            </Title>
            {scheduledTimes.length === 0 ? (
              <EmptyState title="None has come yet">Its first post is written ahead of its time.</EmptyState>
            ) : (
              <ul className={classes.list}>
                {scheduledTimes.map((one) => (
                  <ScheduledTime key={one.at} of={one} timezone={timezone} />
                ))}
              </ul>
            )}
          </div>
        </Stack>
      )}
    </Loaded>
  )
}

function ScheduledTime({
  of: { at, state, post, reason },
  timezone,
}: {
  of: Schemas['ScheduledTime']
  timezone: string
}) {
  const why = state === 'skipped' ? reason : post?.reason
  return (
    <li className={classes.item}>
      <Group gap="xs">
        {state === 'created' && post ? <StatusBadge status={post.status} /> : <Skipped />}
        <Text size="sm" className="numbers">
          {zonedTime(at, timezone)}
        </Text>
        {post && <PostLinks post={post} />}
      </Group>
      {why !== undefined && (
        <Text size="sm" mt={4}>
          {why}
        </Text>
      )}
    </li>
  )
}

function Skipped() {
  return (
    <Badge variant="outline" color="gray" leftSection={<IconSlash size={12} />}>
      Skipped
    </Badge>
  )
}

function PostLinks({ post }: { post: Schemas['Post'] }) {
  const [params] = useSearchParams()
  const to = new URLSearchParams(params)
  to.delete('recurring')
  to.set('post', post.id)
  return (
    <>
      <Anchor component={Link} to={{ search: to.toString() }} preventScrollReset size="sm" underline="always">
        Its post
      </Anchor>
      {post.twitterUrl !== undefined && (
        <ExternalLink href={post.twitterUrl} size="sm">
          View on X
        </ExternalLink>
      )}
    </>
  )
}
