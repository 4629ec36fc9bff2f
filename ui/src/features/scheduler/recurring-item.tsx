import { Anchor, Badge, Group, Stack, Text } from '@mantine/core'
import { Link, useSearchParams } from 'react-router'

import { ExternalLink } from '@/components/external-link'
import { StatusBadge } from '@/components/post-status-badge'
import { SponsorBadge } from '@/components/sponsor-badge'
import { plural } from '@/lib/plural'
import { zonedTime } from '@/lib/time'
import { weekText } from './posting-times-week'
import classes from './recurring.module.css'
import { RecurringActions } from './recurring-actions'
import type { Dialog } from './recurring-dialogs'
import type { RecurringPost } from './recurring-queries'
import { RecurringState } from './recurring-state'

type Props = { recurring: RecurringPost; timezone: string; onAct?: ((dialog: Dialog) => void) | undefined }

export const itemId = (id: string) => `recurring-${id}`

export function RecurringItem({ recurring, timezone, onAct }: Props) {
  return (
    <li className={classes.item} id={itemId(recurring.id)} tabIndex={-1}>
      <RecurringFacts recurring={recurring} timezone={timezone} />
      <Group justify="space-between" gap="xs" mt="xs">
        <Group gap="md">
          <DetailsLink id={recurring.id} />
          {recurring.runUrl !== '' && (
            <ExternalLink href={recurring.runUrl} size="sm">
              Open schedule
            </ExternalLink>
          )}
        </Group>
        {onAct && <RecurringActions recurring={recurring} onAct={onAct} />}
      </Group>
    </li>
  )
}

/** State, times, texts and the next scheduled time. */
export function RecurringFacts({ recurring, timezone }: Pick<Props, 'recurring' | 'timezone'>) {
  const [first, ...others] = recurring.texts
  return (
    <Stack gap={6}>
      <Group gap="xs">
        <RecurringState state={recurring.state} />
        <SponsorBadge username={recurring.member.username} />
        {recurring.madeWithAi && <Badge variant="outline">AI</Badge>}
        <Text size="sm" c="dimmed" className="numbers">
          {weekText(recurring.times)}, {recurring.timezone}
          {recurring.endsOn !== undefined && `, until ${recurring.endsOn}`}
        </Text>
      </Group>
      <Text className="wrap-anywhere" style={{ whiteSpace: 'pre-wrap' }}>
        {first}
      </Text>
      {others.length > 0 && (
        <Text size="sm" c="dimmed">
          and {plural(others.length, 'other text')} in turn
        </Text>
      )}
      {recurring.reason !== undefined && (
        <Text size="sm" fw={550}>
          {recurring.reason}
        </Text>
      )}
      <NextPost recurring={recurring} timezone={timezone} />
    </Stack>
  )
}

function NextPost({ recurring: { state, next, upcoming }, timezone }: Pick<Props, 'recurring' | 'timezone'>) {
  if (state !== 'active') return null
  const later = upcoming.filter((at) => at !== next?.scheduledAt).map((at) => zonedTime(at, timezone))
  return (
    <div className="numbers">
      <Group gap="xs" fz="sm">
        {next ? (
          <>
            <StatusBadge status={next.status} />
            <span>
              Next post {zonedTime(next.scheduledAt, timezone)}
              {next.slot && `, slot ${next.slot.number} of ${next.slot.month}`}
            </span>
          </>
        ) : (
          <span>No post is written ahead at the moment.</span>
        )}
      </Group>
      {later.length > 0 && (
        <Text size="sm" c="dimmed" mt={4}>
          Then {later.join(' · ')}
        </Text>
      )}
    </div>
  )
}

function DetailsLink({ id }: { id: string }) {
  const [params] = useSearchParams()
  const to = new URLSearchParams(params)
  to.set('recurring', id)
  return (
    <Anchor component={Link} to={{ search: to.toString() }} preventScrollReset size="sm" underline="always">
      What became of its times
    </Anchor>
  )
}
