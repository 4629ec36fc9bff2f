import { Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId, useRef, useState } from 'react'

import type { Schemas } from '@/api/client'
import type { Post } from '@/api/posts'
import { useSession } from '@/api/session'
import { CardSkeletons } from '@/components/card-skeletons'
import { EmptyState } from '@/components/empty-state'
import { MembersOnly } from '@/components/founders-only'
import { Loaded } from '@/components/loaded'
import { Section } from '@/components/section'

import { ComposerDialog } from './composer-dialog'
import classes from './review.module.css'
import { ReviewAnswer } from './review-answer'
import { ReviewForm } from './review-form'
import { ReviewItem } from './review-item'
import { reviewsQuery } from './review-queries'

/** Posts in review: all for founders, their own for members. */
export function ReviewList({ timezone }: { timezone: string }) {
  const { role } = useSession()
  return (
    <Section title="Review">
      <MembersOnly what="see posts that wait for a founder" />
      {role !== 'visitor' && <Reviews founder={role === 'founder'} timezone={timezone} />}
    </Section>
  )
}

function Reviews({ founder, timezone }: { founder: boolean; timezone: string }) {
  const reviews = useQuery(reviewsQuery)
  const top = useRef<HTMLDivElement>(null)
  // State of the list and not of a row, because a row may leave the list while its post is edited.
  const [edited, setEdited] = useState<Post | null>(null)
  return (
    <>
      <Loaded query={reviews} what="the posts in review" loading={<CardSkeletons count={2} height={80} />}>
        {(data) => (
          <Stack gap="lg" ref={top} tabIndex={-1} className={classes.top}>
            {founder ? (
              <ForFounders of={data} timezone={timezone} onDone={() => top.current?.focus()} />
            ) : (
              <ForMembers of={data} timezone={timezone} onEdit={setEdited} />
            )}
            {data.pagination.hasMore && <Text size="sm">The first {data.posts.length} are shown.</Text>}
          </Stack>
        )}
      </Loaded>
      {edited && (
        <ComposerDialog opened onClose={() => setEdited(null)} initial={{ post: edited }} timezone={timezone} />
      )}
    </>
  )
}

type ListProps = { of: Schemas['Posts']; timezone: string }

const standing = (posts: Post[], ...states: string[]) =>
  posts.filter(({ review }) => review && states.includes(review.state))

// A decided post leaves the list, so the focus returns to the top.
function ForFounders({ of: { posts }, timezone, onDone }: ListProps & { onDone: () => void }) {
  const asked = standing(posts, 'requested')
  const theirs = standing(posts, 'suggested', 'rejected')
  return (
    <>
      {asked.length === 0 && (
        <EmptyState title="Nothing waits for you">
          When members' posts need approval, those that they write are shown here.
        </EmptyState>
      )}
      <Group title="Wait for a founder" posts={asked}>
        {(post) => (
          <ReviewItem key={post.id} post={post} timezone={timezone}>
            <ReviewForm post={post} onDone={onDone} />
          </ReviewItem>
        )}
      </Group>
      <Group title="Wait for their members" posts={theirs}>
        {(post) => <ReviewItem key={post.id} post={post} timezone={timezone} />}
      </Group>
    </>
  )
}

function ForMembers({ of: { posts }, timezone, onEdit }: ListProps & { onEdit: (post: Post) => void }) {
  if (posts.length === 0) {
    return (
      <EmptyState title="None of your posts is in review">
        When your posts need a founder's approval, they wait here until one has read them.
      </EmptyState>
    )
  }
  const item = (post: Post) => (
    <ReviewItem key={post.id} post={post} timezone={timezone}>
      <ReviewAnswer post={post} timezone={timezone} onEdit={onEdit} />
    </ReviewItem>
  )
  return (
    <>
      <Group title="Wait for you" posts={standing(posts, 'suggested', 'rejected')}>
        {item}
      </Group>
      <Group title="Wait for a founder" posts={standing(posts, 'requested')}>
        {item}
      </Group>
    </>
  )
}

type GroupProps = { title: string; posts: Post[]; children: (post: Post) => ReactNode }

function Group({ title, posts, children }: GroupProps) {
  const id = useId()
  if (posts.length === 0) return null
  return (
    <section aria-labelledby={id}>
      <Title order={3} size="h4" id={id} mb="xs">
        {title} ({posts.length})
      </Title>
      <ul className={classes.list}>{posts.map(children)}</ul>
    </section>
  )
}
