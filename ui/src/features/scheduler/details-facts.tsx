import { Anchor, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'

import type { Post } from '@/api/posts'
import { ExternalLink } from '@/components/external-link'
import { StatusBadge } from '@/components/post-status-badge'
import { RunLink } from '@/components/run-link'
import { SponsorBadge } from '@/components/sponsor-badge'
import { author } from '@/lib/author'
import { dayOf, hourOf, longDay } from '@/lib/calendar'
import { handle } from '@/lib/handle'
import { utcTime } from '@/lib/time'

import { standsAt, styleOf } from './post-style'
import classes from './scheduler.module.css'

export function DetailsFacts({ post, zone }: { post: Post; zone: string }) {
  return (
    <>
      <Group gap="xs">
        <StatusBadge status={post.status} />
        <SponsorBadge username={post.member.username} />
      </Group>
      <Text className="wrap-anywhere" style={{ whiteSpace: 'pre-wrap' }}>
        {post.content}
      </Text>
      <dl className={classes.facts}>
        <Fact name="State">{plainState(post)}</Fact>
        <Fact name={post.publishedAt === undefined ? 'Time' : 'Went out'}>
          {longDay(dayOf(standsAt(post), zone))}, {hourOf(standsAt(post), zone)} ({zone})
          <br />
          {utcTime(standsAt(post))}
        </Fact>
        {post.slot && (
          <Fact name="Slot">
            {post.slot.number} of {post.slot.month}
          </Fact>
        )}
        {post.review && <Fact name="Approval">{reviewText(post.review)}</Fact>}
        <Fact name="Written by">{provenance(post)}</Fact>
        {post.recurringPostId !== undefined && (
          <Fact name="Recurring post">
            <RecurringLink id={post.recurringPostId} />
          </Fact>
        )}
        <Links post={post} />
      </dl>
    </>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd className="numbers">{children}</dd>
    </>
  )
}

const meanings: Record<Post['status'], string> = {
  draft: 'It is not scheduled. It holds no slot and does not go out by itself.',
  scheduled: 'It goes out at its time, once.',
  armed: 'It is being sent right now and cannot be changed.',
  published: 'It is on X.',
  failed: 'It did not go out. Its slot was given back.',
  unknown: 'Nobody can tell yet whether it went out. “Retry safely” looks for it before anything is sent again.',
  cancelled: 'It was cancelled and does not go out.',
}

function plainState(post: Post) {
  const { label } = styleOf(post)
  return `${label}. ${post.reason ?? meanings[post.status]}`
}

function reviewText({ state, reason, reviewer, suggestion }: NonNullable<Post['review']>) {
  const by = reviewer === undefined || reviewer === '' ? '' : ` by ${handle(reviewer)}`
  const words = {
    requested: 'Waits for a founder',
    suggested: 'Another text was suggested',
    rejected: 'Rejected',
    approved: 'Approved',
  }
  const text = suggestion === undefined || suggestion === '' ? '' : ` The suggestion: “${suggestion}”`
  return `${words[state]}${by}.${reason === undefined ? '' : ` ${reason}`}${text}`
}

function provenance({ provenance: made, madeWithAi }: Post) {
  if (made === undefined) return madeWithAi ? 'AI, as its author says.' : 'A person'
  return `${author(made)}, ${made.edited ? 'edited by a person' : 'unchanged'}.`
}

function RecurringLink({ id }: { id: string }) {
  const [params] = useSearchParams()
  const next = new URLSearchParams(params)
  next.set('view', 'recurring')
  next.set('recurring', id)
  next.delete('post')
  return (
    <Anchor component={Link} to={{ search: next.toString() }}>
      Open the recurring post that wrote it
    </Anchor>
  )
}

function Links({ post }: { post: Post }) {
  return (
    <>
      {post.twitterUrl !== undefined && (
        <Fact name="On X">
          <ExternalLink href={post.twitterUrl}>View the post</ExternalLink>
        </Fact>
      )}
      {post.runId !== '' && (
        <Fact name="Run">
          <RunLink href={post.runUrl}>Open the run</RunLink>
        </Fact>
      )}
    </>
  )
}
