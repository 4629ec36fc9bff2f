import { Alert, Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import type { Post } from '@/api/posts'
import { Loaded } from '@/components/loaded'

import { useFocusOnMount } from '@/lib/use-focus-on-mount'

import { TwoTexts } from './composer-compare'
import { postQuery } from './composer-queries'

type Props = { post: Post; onRead: (now: Post) => void }

/** Shown when the post changed during the review: the new text must be read before a decision. */
export function ReviewChanged({ post, onRead }: Props) {
  const now = useQuery(postQuery(post.id))
  const box = useFocusOnMount<HTMLDivElement>()
  return (
    <Alert ref={box} tabIndex={-1} color="orange" variant="outline" title="Somebody else changed this post meanwhile">
      <Loaded query={now} what="the post as it is now" loading={<Text size="sm">Fetching it as it is now…</Text>}>
        {(current) => (
          <Stack gap="sm" align="flex-start">
            <TwoTexts
              left={{ title: 'What you read', text: post.content }}
              right={{ title: 'As it is now', text: current.content }}
            />
            <Button size="compact-sm" variant="default" onClick={() => onRead(current)}>
              I have read it
            </Button>
          </Stack>
        )}
      </Loaded>
    </Alert>
  )
}
