import { Popover, Text, UnstyledButton } from '@mantine/core'

import type { Schemas } from '@/api/client'
import { localTime } from '@/lib/time'

import classes from './post-card.module.css'

type Props = { score: number; counts: Schemas['BotPost']['engagement'] }

/** The score; pressing it shows how it is computed. */
export function EngagementScore({ score, counts }: Props) {
  const { likes, reposts, replies, quotes, measuredAt } = counts
  return (
    <Popover width={280} position="bottom-start" withArrow shadow="md">
      <Popover.Target>
        <UnstyledButton className={classes.score ?? ''}>
          Engagement <strong className="numbers">{score}</strong>
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown>
        <Text size="sm">
          likes + 2 × reposts + 2 × replies + quotes
          <br />
          <span className="numbers">
            {likes} + 2 × {reposts} + 2 × {replies} + {quotes} = {score}
          </span>
        </Text>
        <Text size="xs" c="dimmed" mt={6}>
          {measuredAt
            ? `Measured ${localTime(measuredAt)}.`
            : 'Not measured yet: X is asked after an hour, a day and a week.'}
        </Text>
      </Popover.Dropdown>
    </Popover>
  )
}
