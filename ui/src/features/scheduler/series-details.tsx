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

import classes from './series.module.css'
import { SeriesFacts } from './series-item'
import { seriesQuery } from './series-queries'

/** The series that the address names, and what became of its latest times. */
export function SeriesDetails({ timezone }: { timezone: string }) {
  const [params, setParams] = useSearchParams()
  const id = params.get('series')
  function close() {
    const rest = new URLSearchParams(params)
    rest.delete('series')
    setParams(rest, { replace: true, preventScrollReset: true })
  }
  return (
    <Modal opened={id !== null} onClose={close} title="The series" size="lg">
      {id !== null && <Details id={id} timezone={timezone} />}
    </Modal>
  )
}

function Details({ id, timezone }: { id: string; timezone: string }) {
  const details = useQuery(seriesQuery(id))
  return (
    <Loaded query={details} what="the series" loading={<Skeleton h={200} aria-busy="true" />}>
      {({ series, occurrences }) => (
        <Stack gap="lg">
          <SeriesFacts series={series} timezone={timezone} />
          <div>
            <Title order={3} fz="md" mb="xs">
              Its latest times
            </Title>
            {occurrences.length === 0 ? (
              <EmptyState title="None has come yet">Its first post is written ahead of its time.</EmptyState>
            ) : (
              <ul className={classes.list}>
                {occurrences.map((one) => (
                  <Occurrence key={one.at} of={one} timezone={timezone} />
                ))}
              </ul>
            )}
          </div>
        </Stack>
      )}
    </Loaded>
  )
}

function Occurrence({ of: { at, state, post, reason }, timezone }: { of: Schemas['Occurrence']; timezone: string }) {
  const why = state === 'skipped' ? reason : post?.reason
  return (
    <li className={classes.item}>
      <Group gap="xs">
        {state === 'written' && post ? <StatusBadge status={post.status} /> : <Skipped />}
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
  to.delete('series')
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
