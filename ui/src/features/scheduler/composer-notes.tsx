import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'

import type { Schemas } from '@/api/client'
import { IconWarning } from '@/components/icons'
import { type PostStatus, statusStyle } from '@/components/post-status'
import { StatusBadge } from '@/components/post-status-badge'
import { exactly } from '@/lib/money'
import { plural } from '@/lib/plural'
import { zonedTime } from '@/lib/time'

import classes from './composer.module.css'
import { plainCostQuery } from './composer-queries'

type Props = { said: Schemas['PostCheck'] | undefined; failed: boolean; timezone: string }

/** Notes of the check; none of them blocks sending. */
export function CheckNotes({ said, failed, timezone }: Props) {
  return (
    <div className={classes.notes} role="status">
      {failed && (
        <Text size="sm" c="dimmed">
          The text could not be checked just now. It is checked again when you send it.
        </Text>
      )}
      {said && (
        <>
          <Cost links={said.links} cost={said.costMicroUsd} />
          {said.hints.map(({ code, message }) => (
            <Warning key={code}>{message}</Warning>
          ))}
          <Similar posts={said.similar} timezone={timezone} />
        </>
      )}
    </div>
  )
}

function Warning({ children }: { children: ReactNode }) {
  return (
    <div className={`${classes.note} ${classes.warning}`}>
      <IconWarning size={16} />
      <span>{children}</span>
    </div>
  )
}

function Cost({ links, cost }: { links: number; cost: number }) {
  const { data: plain } = useQuery({ ...plainCostQuery, enabled: links > 0 })
  if (links === 0) return null
  const what = links === 1 ? 'A link makes' : `${plural(links, 'link')} make`
  const instead = plain === undefined ? '' : ` instead of ${exactly(plain)}`
  return (
    <Warning>
      {what} X charge {exactly(cost)}
      {instead}.
    </Warning>
  )
}

function Similar({ posts, timezone }: { posts: Schemas['SimilarPost'][]; timezone: string }) {
  if (posts.length === 0) return null
  return (
    <div>
      <Warning>{posts.length === 1 ? 'A post says' : 'Some posts say'} nearly the same. X refuses repeats.</Warning>
      <ul className={classes.similar} aria-label="Posts that say nearly the same">
        {posts.map((post) => (
          <li key={post.postId} className={classes.text}>
            <Group gap="xs" mb={4} fz="sm">
              {isStatus(post.status) && <StatusBadge status={post.status} />}
              <time dateTime={post.at}>{zonedTime(post.at, timezone)}</time>
              <span>{post.similarity} % alike</span>
            </Group>
            <Text size="sm" className={`wrap-anywhere ${classes.words}`}>
              {post.content}
            </Text>
          </li>
        ))}
      </ul>
    </div>
  )
}

const isStatus = (word: string): word is PostStatus => Object.hasOwn(statusStyle, word)
