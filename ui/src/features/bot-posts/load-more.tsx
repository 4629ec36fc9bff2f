import { Button, Center } from '@mantine/core'

import { number } from '@/lib/plural'

type Props = { remaining: number; loading: boolean; onLoad: () => void }

export function LoadMore({ remaining, loading, onLoad }: Props) {
  return (
    <Center mt="lg">
      <Button variant="default" aria-busy={loading} onClick={onLoad}>
        {loading ? 'Loading…' : `Load More Posts (${number(remaining)} remaining)`}
      </Button>
    </Center>
  )
}
