import { Stack, Text } from '@mantine/core'

import { Moment } from '@/components/moment'
import { Section } from '@/components/section'
import { plural } from '@/lib/plural'

import { ItsRun } from './its-run'
import type { Detail, Status } from './words'

/** The result of an experiment: the reason, and the votes when they were counted. */
export function Outcome({ experiment }: { experiment: Detail }) {
  const { reason, status, votes_closed_at: closed } = experiment
  const why = reason !== undefined && reason !== ''
  if (!why && closed === undefined) return null
  return (
    <Section title={titles[status] ?? 'What was said of it'}>
      <Stack gap="xs" maw={760} align="flex-start">
        {why && (
          <Text className="wrap-anywhere" style={{ whiteSpace: 'pre-line' }}>
            {reason}
          </Text>
        )}
        {closed !== undefined && (
          <>
            <Text>
              The votes closed on <Moment at={closed} />: {plural(experiment.upvotes, 'vote')} for it and{' '}
              {plural(experiment.downvotes, 'vote')} against it. This count is final.
            </Text>
            <ItsRun of={experiment}>Counted by this run</ItsRun>
          </>
        )}
      </Stack>
    </Section>
  )
}

const titles: Partial<Record<Status, string>> = {
  declined: 'Why it was declined',
  completed: 'How it ended',
  shipped: 'How it ended',
}
