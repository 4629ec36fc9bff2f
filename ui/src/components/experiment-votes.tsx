import { Button, Group, Stack, Text } from '@mantine/core'
import { useId, useState } from 'react'

import { loginToVote, useVote, type Vote, voteErrorText } from '@/api/experiment-votes'
import type { Experiment } from '@/api/experiments'
import { useSession } from '@/api/session'
import { number, plural } from '@/lib/plural'

import { FinalVotes } from './experiment-final-votes'
import { NoVote } from './experiment-no-vote'

export type Ballot = Pick<
  Experiment,
  'id' | 'title' | 'status' | 'upvotes' | 'downvotes' | 'my_vote' | 'votes_open' | 'runUrl'
>

/** The votes on an experiment. `next` is the path that a login returns to. */
export function ExperimentVotes({ experiment, next }: { experiment: Ballot; next: string }) {
  const vote = useVote(experiment.id)
  const { may, loggedOut } = useVoter()
  const [asked, setAsked] = useState(false)
  if (experiment.status === 'waiting') return null

  // A second press withdraws the vote.
  function press(way: 1 | -1) {
    if (may) vote.mutate(experiment.my_vote === way ? 0 : way)
    else setAsked(loggedOut)
  }

  // A refusal may have closed the votes, so its message is shown even then.
  return (
    <Stack gap={4}>
      {experiment.votes_open ? (
        <OpenVotes experiment={experiment} may={may} next={next} onPress={press} />
      ) : (
        <FinalVotes experiment={experiment} />
      )}
      <Trouble>{asked && loggedOut ? loginToVote : vote.error && voteErrorText(vote.error)}</Trouble>
    </Stack>
  )
}

type OpenProps = { experiment: Ballot; may: boolean; next: string; onPress: (way: 1 | -1) => void }

function OpenVotes({ experiment, may, next, onPress }: OpenProps) {
  const hint = useId()
  const shared = { mine: experiment.my_vote, may, hint, onPress }
  return (
    <Group gap="xs" role="group" aria-label={`Votes on ${experiment.title}`}>
      <VoteButton way={1} count={experiment.upvotes} {...shared} />
      <VoteButton way={-1} count={experiment.downvotes} {...shared} />
      <span id={hint}>
        <NoVote next={next} />
      </span>
    </Group>
  )
}

function useVoter() {
  const { session, role, isPending } = useSession()
  return { may: role !== 'visitor', loggedOut: !isPending && !session?.isAuthenticated }
}

type ButtonProps = {
  way: 1 | -1
  count: number
  mine: Vote
  may: boolean
  hint: string
  onPress: (way: 1 | -1) => void
}

// A button without permission stays focusable and shows the reason.
function VoteButton({ way, count, mine, may, hint, onPress }: ButtonProps) {
  const up = way === 1
  const pressed = mine === way
  return (
    <Button
      size="xs"
      variant={pressed ? 'filled' : 'default'}
      aria-pressed={pressed}
      aria-label={`Vote ${up ? 'up' : 'down'}: ${plural(count, 'vote')}`}
      aria-disabled={!may}
      {...(!may && { 'data-disabled': true, 'aria-describedby': hint })}
      leftSection={<span aria-hidden="true">{up ? '▲' : '▼'}</span>}
      className="numbers"
      data-moving
      onClick={() => onPress(way)}
    >
      {number(count)}
    </Button>
  )
}

function Trouble({ children }: { children: string | null | undefined }) {
  if (!children) return null
  return (
    <Text role="alert" size="sm" c="var(--mantine-color-error)">
      {children}
    </Text>
  )
}
