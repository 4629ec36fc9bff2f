import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { answer, api, type Schemas } from '@/api/client'

// Each read is audited, so these queries never refetch by themselves.
const onlyWhenAsked = { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false, refetchOnReconnect: false }

export const secretsQuery = queryOptions({
  queryKey: ['admin', 'secrets'],
  queryFn: ({ signal }) => answer(api.GET('/api/admin/secrets', { signal })),
  ...onlyWhenAsked,
  gcTime: 0, // reopening the panel refetches
})

const auditPage = 20

export const auditQuery = infiniteQueryOptions({
  queryKey: ['admin', 'audit'],
  queryFn: ({ pageParam, signal }) =>
    answer(api.GET('/api/admin/audit', { params: { query: { limit: auditPage, offset: pageParam } }, signal })),
  initialPageParam: 0,
  getNextPageParam: ({ entries, pagination }) => (pagination.hasMore ? pagination.offset + entries.length : undefined),
})

export const failedEmailsQuery = queryOptions({
  queryKey: ['admin', 'emails'],
  queryFn: ({ signal }) => answer(api.GET('/api/admin/failed-emails', { signal })),
})

// Founders' actions appear in several parts of the panel, so all are refetched.
function useAdminMutation<Input, Reply>(send: (input: Input) => Promise<Reply>) {
  const queryClient = useQueryClient()
  return useMutation({ mutationFn: send, onSettled: () => queryClient.invalidateQueries({ queryKey: ['admin'] }) })
}

/** Reads the keys only when it sends them, so that no state outside the form holds them. */
export const useReplaceKeys = () =>
  useAdminMutation((read: () => Schemas['NewProviderKeys']) =>
    answer(api.POST('/api/admin/x-credentials', { body: read() })),
  )

export const useRollBackKeys = () => useAdminMutation(() => answer(api.POST('/api/admin/x-credentials/rollback')))

export const useRetryEmail = () =>
  useAdminMutation((id: string) =>
    answer(api.POST('/api/admin/failed-emails/{id}/retry', { params: { path: { id } } })),
  )

export const reportsQuery = (reference: string) =>
  queryOptions({
    queryKey: ['admin', 'reports', reference],
    queryFn: ({ signal }) =>
      answer(api.GET('/api/admin/client-errors', { params: { query: reference === '' ? {} : { reference } }, signal })),
  })
