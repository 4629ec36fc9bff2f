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

export type Series = Schemas['Series']
type NewSeries = Schemas['NewSeries']

const pageSize = 20

export const seriesListQuery = infiniteQueryOptions({
  queryKey: ['series', 'list'],
  queryFn: ({ pageParam, signal }) =>
    answer(api.GET('/api/series', { params: { query: { limit: pageSize, offset: pageParam } }, signal })),
  initialPageParam: 0,
  getNextPageParam: ({ series, pagination }) => (pagination.hasMore ? pagination.offset + series.length : undefined),
  refetchInterval: 15_000,
})

/** The pages as one list. A new series pushes others to the next page: each is kept once. */
export const joinPages = (pages: Schemas['SeriesList'][]) => [
  ...new Map(pages.flatMap(({ series }) => series).map((one) => [one.id, one])).values(),
]

/** One series and what became of its latest times. */
export const seriesQuery = (id: string) =>
  queryOptions({
    queryKey: ['series', 'one', id],
    queryFn: ({ signal }) => answer(api.GET('/api/series/{id}', { params: { path: { id } }, signal })),
  })

const settle = 400

/** When a series would post, or why it cannot, once its writer pauses. Null: there is nothing to ask yet. */
export function usePreview(body: NewSeries | null) {
  const typed = JSON.stringify(body)
  const [settled] = useDebouncedValue(typed, settle)
  const preview = useQuery({
    queryKey: ['series-preview', settled],
    queryFn: ({ signal }) =>
      answer(api.POST('/api/series/preview', { body: JSON.parse(settled) as NewSeries, signal })),
    enabled: body !== null && typed === settled,
    placeholderData: keepPreviousData,
  })
  return { data: body === null ? undefined : preview.data, error: typed === settled ? preview.error : null }
}

// Series write posts, which hold slots: the whole calendar may look different. A refusal often
// means that what we show is old.
function useSeriesMutation<Input, Reply>(send: (input: Input) => Promise<Reply>) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: send,
    onSettled: () => {
      void queryClient.invalidateQueries()
    },
  })
}

export const useCreateSeries = () => useSeriesMutation((body: NewSeries) => answer(api.POST('/api/series', { body })))

export const useChangeSeries = () =>
  useSeriesMutation(({ id, ...body }: Schemas['SeriesChange'] & { id: string }) =>
    answer(api.PATCH('/api/series/{id}', { params: { path: { id } }, body })),
  )

export const useEndSeries = () =>
  useSeriesMutation((id: string) => answer(api.DELETE('/api/series/{id}', { params: { path: { id } } })))
