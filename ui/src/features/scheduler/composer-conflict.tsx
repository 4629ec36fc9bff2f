import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import type { Post } from '@/api/posts'
import { CopyText } from '@/components/copy-text'
import { Loaded } from '@/components/loaded'
import { isEditable, statusStyle } from '@/components/post-status'
import { zonedTime } from '@/lib/time'
import { useFocusOnMount } from '@/lib/use-focus-on-mount'

import { TwoTexts } from './composer-compare'
import { postQuery } from './composer-queries'

type Props = {
  id: string
  mine: string
  timezone: string
  onTakeTheirs: (theirs: Post) => void
  onKeepMine: (theirs: Post) => void
}

/** Shown when someone else saved first: both versions, for the user to choose. */
export function ChangedByOther({ id, mine, timezone, onTakeTheirs, onKeepMine }: Props) {
  const theirs = useQuery(postQuery(id))
  const box = useFocusOnMount<HTMLDivElement>()
  return (
    <Alert ref={box} tabIndex={-1} color="orange" variant="outline" title="Somebody else changed this post meanwhile">
      <Loaded query={theirs} what="the other version" loading={<Text size="sm">Fetching the other version…</Text>}>
        {(post) => (
          <Stack gap="sm">
            <TwoTexts
              left={{ title: 'Theirs', text: post.content, note: whenAndHow(post, timezone) }}
              right={{ title: 'Yours', text: mine }}
            />
            {isEditable(post.status) ? (
              <Decision onTheirs={() => onTakeTheirs(post)} onMine={() => onKeepMine(post)} mine={mine} />
            ) : (
              <CopyText text={mine} what="your text" />
            )}
          </Stack>
        )}
      </Loaded>
    </Alert>
  )
}

const whenAndHow = ({ status, scheduledAt }: Post, timezone: string) =>
  `${statusStyle[status].label}, ${zonedTime(scheduledAt, timezone)}`

function Decision({ onTheirs, onMine, mine }: { onTheirs: () => void; onMine: () => void; mine: string }) {
  return (
    <Group gap="xs">
      <Button variant="default" onClick={onTheirs}>
        Take theirs
      </Button>
      <Button onClick={onMine}>Keep mine</Button>
      <CopyText text={mine} what="your text" />
    </Group>
  )
}
