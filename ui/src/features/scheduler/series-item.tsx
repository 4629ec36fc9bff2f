import { Anchor, Badge, Group, Stack, Text } from '@mantine/core'
import { Link, useSearchParams } from 'react-router'

import { ExternalLink } from '@/components/external-link'
import { StatusBadge } from '@/components/post-status-badge'
import { SponsorBadge } from '@/components/sponsor-badge'
import { plural } from '@/lib/plural'
import { zonedTime } from '@/lib/time'

import classes from './series.module.css'
import { SeriesActions } from './series-actions'
import type { Dialog } from './series-dialogs'
import type { Series } from './series-queries'
import { SeriesState } from './series-state'
import { weekText } from './timetable-week'

type Props = { series: Series; timezone: string; onAct?: ((dialog: Dialog) => void) | undefined }

export const itemId = (id: string) => `series-${id}`

export function SeriesItem({ series, timezone, onAct }: Props) {
  return (
    <li className={classes.item} id={itemId(series.id)} tabIndex={-1}>
      <SeriesFacts series={series} timezone={timezone} />
      <Group justify="space-between" gap="xs" mt="xs">
        <Group gap="md">
          <DetailsLink id={series.id} />
          {series.runUrl !== '' && (
            <ExternalLink href={series.runUrl} size="sm">
              Open schedule
            </ExternalLink>
          )}
        </Group>
        {onAct && <SeriesActions series={series} onAct={onAct} />}
      </Group>
    </li>
  )
}

/** State, times, texts and what comes next. */
export function SeriesFacts({ series, timezone }: Pick<Props, 'series' | 'timezone'>) {
  const [first, ...others] = series.texts
  return (
    <Stack gap={6}>
      <Group gap="xs">
        <SeriesState state={series.state} />
        <SponsorBadge username={series.member.username} />
        {series.madeWithAi && <Badge variant="outline">AI</Badge>}
        <Text size="sm" c="dimmed" className="numbers">
          {weekText(series.times)}, {series.timezone}
          {series.endsOn !== undefined && `, until ${series.endsOn}`}
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
      {series.reason !== undefined && (
        <Text size="sm" fw={550}>
          {series.reason}
        </Text>
      )}
      <NextPost series={series} timezone={timezone} />
    </Stack>
  )
}

function NextPost({ series: { state, next, upcoming }, timezone }: Pick<Props, 'series' | 'timezone'>) {
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
  to.set('series', id)
  return (
    <Anchor component={Link} to={{ search: to.toString() }} preventScrollReset size="sm" underline="always">
      What became of its times
    </Anchor>
  )
}
