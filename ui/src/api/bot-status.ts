import { queryOptions } from '@tanstack/react-query'

import { answer, api } from './client'

/** The bot's month and the addresses of its consoles. The layout uses it on every page. */
export const botStatusQuery = queryOptions({
  queryKey: ['bot-status'],
  queryFn: ({ signal }) => answer(api.GET('/api/bot-status', { signal })),
  refetchInterval: 15_000,
})
