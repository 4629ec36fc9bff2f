import { Popover, Text, UnstyledButton } from '@mantine/core'

import type { Schemas } from '@/api/client'
import { localTime } from '@/lib/time'

import classes from './post-card.module.css'

type Props = { score: number | undefined; counts: Schemas['BotPost']['engagement'] }

/** The score; pressing it shows how it is computed, or when it will be measured. */
export function EngagementScore({ score, counts }: Props) {
  return (
    <Popover width={280} position="bottom-start" withArrow shadow="md">
      <Popover.Target>
        <UnstyledButton className={classes.score ?? ''}>
          Engagement <strong className="numbers">{score ?? '–'}</strong>
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown>
        <Text size="sm">
          likes + 2 × reposts + 2 × replies + quotes
          {counts && (
            <>
              <br />
              <span className="numbers">
                {counts.likes} + 2 × {counts.reposts} + 2 × {counts.replies} + {counts.quotes} = {score}
              </span>
            </>
          )}
        </Text>
        <Text size="xs" c="dimmed" mt={6}>
          {counts
            ? `Measured ${localTime(counts.measuredAt)}.`
            : 'Not measured yet. X is read an hour, a day and a week after publication.'}
        </Text>
      </Popover.Dropdown>
    </Popover>
  )
}
