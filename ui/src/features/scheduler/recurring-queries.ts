import { useDebouncedValue } from '@mantine/hooks'
import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'

import { answer, api, type Schemas } from '@/api/client'

export type RecurringPost = Schemas['RecurringPost']
type NewRecurringPost = Schemas['NewRecurringPost']

const pageSize = 20

export const recurringPostsQuery = infiniteQueryOptions({
  queryKey: ['recurring-posts', 'list'],
  queryFn: ({ pageParam, signal }) =>
    answer(api.GET('/api/recurring-posts', { params: { query: { limit: pageSize, offset: pageParam } }, signal })),
  initialPageParam: 0,
  getNextPageParam: ({ recurringPosts, pagination }) =>
    pagination.hasMore ? pagination.offset + recurringPosts.length : undefined,
  refetchInterval: 15_000,
})

/**
 * Joins the pages into one list. A recurring post added in between shifts others to the next page, so each
 * is kept once.
 */
export const joinPages = (pages: Schemas['RecurringPostList'][]) => [
  ...new Map(pages.flatMap(({ recurringPosts }) => recurringPosts).map((one) => [one.id, one])).values(),
]

/** One recurring post with its latest scheduled times. */
export const recurringPostQuery = (id: string) =>
  queryOptions({
    queryKey: ['recurring-posts', 'one', id],
    queryFn: ({ signal }) => answer(api.GET('/api/recurring-posts/{id}', { params: { path: { id } }, signal })),
  })

const settle = 400

/** Previews the scheduled times, or the refusal, once typing pauses. With null, nothing is requested. */
export function usePreview(body: NewRecurringPost | null) {
  const typed = JSON.stringify(body)
  const [settled] = useDebouncedValue(typed, settle)
  const preview = useQuery({
    queryKey: ['recurring-preview', settled],
    queryFn: ({ signal }) =>
      answer(api.POST('/api/recurring-posts/preview', { body: JSON.parse(settled) as NewRecurringPost, signal })),
    enabled: body !== null && typed === settled,
    placeholderData: keepPreviousData,
  })
  return { data: body === null ? undefined : preview.data, error: typed === settled ? preview.error : null }
}

// Recurring posts create posts, which use slots, so the whole calendar is refetched. A refusal often means
// that the cached data is stale.
function useRecurringMutation<Input, Reply>(send: (input: Input) => Promise<Reply>) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: send,
    onSettled: () => {
      void queryClient.invalidateQueries()
    },
  })
}

export const useCreateRecurringPost = () =>
  useRecurringMutation((body: NewRecurringPost) => answer(api.POST('/api/recurring-posts', { body })))

export const useChangeRecurringPost = () =>
  useRecurringMutation(({ id, ...body }: Schemas['RecurringPostChange'] & { id: string }) =>
    answer(api.PATCH('/api/recurring-posts/{id}', { params: { path: { id } }, body })),
  )

export const useEndRecurringPost = () =>
  useRecurringMutation((id: string) => answer(api.DELETE('/api/recurring-posts/{id}', { params: { path: { id } } })))
