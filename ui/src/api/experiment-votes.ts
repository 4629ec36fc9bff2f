import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'

import { ApiError, answer, api, type Schemas } from './client'
import { type Experiment, experimentsKey } from './experiments'
import { useSession } from './session'

/** 1 up, -1 down, 0 none. */
export type Vote = Experiment['my_vote']

type Ballot = Pick<Experiment, 'id' | 'upvotes' | 'downvotes' | 'my_vote'>

/**
 * Casts, changes or (with 0) withdraws the caller's vote on the experiment `id`. Every list and page shows
 * it at once and reverts it if the server refuses.
 */
export function useVote(id: string) {
  const queryClient = useQueryClient()
  const { session } = useSession()
  const name = session?.user?.username.trim().replace(/^@+/, '')
  const mutationKey = [...experimentsKey, 'vote', id]
  // When a vote is sent while another is in flight, only the last response holds the current count.
  const isLast = () => queryClient.isMutating({ mutationKey }) === 1
  return useMutation({
    mutationKey,
    scope: { id: `vote:${id}` },
    mutationFn: (vote: Vote) => send(id, vote, name),
    onMutate: async (vote) => {
      await queryClient.cancelQueries({ queryKey: experimentsKey })
      return { before: count(queryClient, id, (ballot) => voted(ballot, vote)) }
    },
    onError: (_error, _vote, context) => {
      const before = context?.before
      if (before !== undefined) count(queryClient, id, (ballot) => voted(ballot, before))
    },
    onSuccess: ({ upvotes, downvotes, my_vote }) => {
      if (isLast()) count(queryClient, id, () => ({ upvotes, downvotes, my_vote }))
    },
    onSettled: () => {
      if (isLast()) void queryClient.invalidateQueries({ queryKey: experimentsKey })
    },
  })
}

function send(id: string, vote: Vote, name: string | undefined) {
  if (vote === 0) return answer(api.DELETE('/api/experiments/{slug}/vote', { params: { path: { slug: id } } }))
  const body = { experimentId: id, vote, ...(name && { memberId: name }) }
  return answer(api.POST('/api/experiments/vote', { body }))
}

/** The message for a vote that was not counted. */
export function voteErrorText(error: Error) {
  if (!(error instanceof ApiError) || error.status >= 500) return 'Voting failed. Please try again.'
  return error.status === 401 ? loginToVote : error.message
}

export const loginToVote = 'Please login to vote on experiments.'

/** Returns an experiment's counts with the caller's previous vote replaced by this one. */
export function voted({ upvotes, downvotes, my_vote }: Omit<Ballot, 'id'>, vote: Vote) {
  return {
    upvotes: upvotes + Number(vote === 1) - Number(my_vote === 1),
    downvotes: downvotes + Number(vote === -1) - Number(my_vote === -1),
    my_vote: vote,
  }
}

type Change = (ballot: Ballot) => Omit<Ballot, 'id'>
type Listing = { experiments: Ballot[] }

/** Changes an experiment's counts in every cached query and returns the caller's previous vote. */
function count(queryClient: QueryClient, id: string, change: Change) {
  let before: Vote | undefined
  const one = <T extends Ballot>(ballot: T): T => {
    if (ballot.id !== id) return ballot
    before ??= ballot.my_vote
    return { ...ballot, ...change(ballot) }
  }
  const list = <T extends Listing>(listing: T): T => ({ ...listing, experiments: listing.experiments.map(one) })

  queryClient.setQueriesData<{ pages: Schemas['Experiments'][] }>(
    { queryKey: [...experimentsKey, 'list'] },
    (data) => data && { ...data, pages: data.pages.map(list) },
  )
  queryClient.setQueriesData<Schemas['ExperimentDetail']>(
    { queryKey: [...experimentsKey, 'one'] },
    (data) => data && one(data),
  )
  return before
}
