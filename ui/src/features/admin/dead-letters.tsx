import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'

import type { Schemas } from '@/api/client'
import { IconRetry } from '@/components/icons'
import { Loaded } from '@/components/loaded'
import { Moment } from '@/components/moment'
import { RunLink } from '@/components/run-link'
import classes from './admin.module.css'
import { ActionError } from './admin-error'
import { PanelPart } from './panel-part'
import { lettersQuery, useRetryLetter } from './queries'

type Letter = Schemas['DeadLetter']

/** Letters that were given up. Whom they were for is nobody's business here. */
export function DeadLetters() {
  const letters = useQuery(lettersQuery)
  return (
    <PanelPart title="Dead letters">
      <Loaded query={letters} what="the letters" loading={<Text size="sm">Loading…</Text>}>
        {(data) => <Rows letters={data.letters} />}
      </Loaded>
    </PanelPart>
  )
}

function Rows({ letters }: { letters: Letter[] }) {
  if (letters.length === 0) return <Text size="sm">None. Every letter arrived, or is still on its way.</Text>
  return (
    <ul className={classes.rows}>
      {letters.map((letter) => (
        <Row key={letter.id} letter={letter} />
      ))}
    </ul>
  )
}

function Row({ letter }: { letter: Letter }) {
  const retry = useRetryLetter()
  // A promise tells it also when the row is gone by then; why it failed stands in the row.
  const send = () =>
    retry.mutateAsync(letter.id).then(
      ({ message }) => notifications.show({ color: 'green', message, withBorder: true }),
      () => {},
    )
  return (
    <li className={classes.entry}>
      <Group justify="space-between" gap="sm">
        <div className={classes.words}>
          <Group gap="xs" mb={4} fz="sm" c="dimmed">
            <Moment at={letter.createdAt} />
            <span>{letter.kind.replaceAll('_', ' ')}</span>
            {letter.runUrl !== '' && (
              <RunLink href={letter.runUrl} inherit>
                Open run
              </RunLink>
            )}
          </Group>
          <Text size="sm" className="wrap-anywhere">
            {letter.reason}
          </Text>
        </div>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconRetry size={14} />}
          loading={retry.isPending}
          onClick={() => void send()}
        >
          Retry
        </Button>
      </Group>
      {retry.error && <ActionError title="Could not send the letter again" error={retry.error} />}
    </li>
  )
}
