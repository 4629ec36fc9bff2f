import { Badge, Button, Group, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'

import type { Schemas } from '@/api/client'
import { IconCheck, IconClock, IconCross } from '@/components/icons'
import { Loaded } from '@/components/loaded'
import { Moment } from '@/components/moment'
import { RunLink } from '@/components/run-link'

import classes from './admin.module.css'
import { PanelPart } from './panel-part'
import { auditQuery } from './queries'

type Entry = Schemas['AuditEntry']

/** Founders' actions, newest first. */
export function AuditList() {
  const audit = useInfiniteQuery(auditQuery)
  return (
    <PanelPart title="Audit">
      <Loaded query={audit} what="the audit" loading={<Text size="sm">Loading…</Text>}>
        {({ pages }) => <Rows entries={joined(pages)} />}
      </Loaded>
      {audit.hasNextPage && (
        <Button
          variant="default"
          size="xs"
          mt="sm"
          aria-disabled={audit.isFetchingNextPage}
          onClick={() => audit.isFetchingNextPage || void audit.fetchNextPage()}
        >
          {audit.isFetchingNextPage ? 'Loading…' : 'Load more'}
        </Button>
      )}
    </PanelPart>
  )
}

// Joins the pages into one list. A new entry shifts others to the next page, so each is kept once.
const joined = (pages: Schemas['Audit'][]) => [
  ...new Map(pages.flatMap(({ entries }) => entries).map((entry) => [entry.id, entry])).values(),
]

function Rows({ entries }: { entries: Entry[] }) {
  if (entries.length === 0) return <Text size="sm">Nothing yet.</Text>
  return (
    <ul className={classes.rows}>
      {entries.map((entry) => (
        <li key={entry.id} className={classes.entry}>
          <Group gap="xs" mb={4} fz="sm" c="dimmed">
            <Moment at={entry.at} />
            <span>{entry.actor}</span>
            <Outcome outcome={entry.outcome} />
            {entry.runUrl !== '' && (
              <RunLink href={entry.runUrl} inherit>
                Open run
              </RunLink>
            )}
          </Group>
          <Text size="sm" className="wrap-anywhere">
            {entry.detail}
          </Text>
        </li>
      ))}
    </ul>
  )
}

function Outcome({ outcome }: { outcome: string }) {
  const { color, Icon } = looks[outcome] ?? { color: 'gray', Icon: IconClock }
  return (
    <Badge variant="outline" size="sm" color={color} leftSection={<Icon size={11} />}>
      {outcome}
    </Badge>
  )
}

// `begun` and any other status use the default: the run shows the outcome.
const looks: Record<string, { color: string; Icon: typeof IconCheck }> = {
  done: { color: 'green', Icon: IconCheck },
  refused: { color: 'red', Icon: IconCross },
}
