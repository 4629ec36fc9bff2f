import { Alert, Button, Center } from '@mantine/core'

import { number } from '@/lib/plural'

type Query = {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  isFetchNextPageError: boolean
  fetchNextPage: () => Promise<unknown>
}

export function LoadMore({ query, remaining }: { query: Query; remaining: number }) {
  const loading = query.isFetchingNextPage
  return (
    <>
      {query.isFetchNextPageError && (
        <Alert color="red" variant="outline" mt="md">
          Could not load more experiments. Nothing is lost: try the button again.
        </Alert>
      )}
      {query.hasNextPage && (
        <Center mt="lg">
          <Button variant="default" aria-busy={loading} onClick={() => void query.fetchNextPage()}>
            {loading ? 'Loading…' : `Load more (${number(remaining)} remaining)`}
          </Button>
        </Center>
      )}
    </>
  )
}
