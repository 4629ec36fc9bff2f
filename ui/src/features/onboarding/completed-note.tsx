import { Alert, Anchor, Text } from '@mantine/core'
import { Link } from 'react-router'

import { IconCheck } from '@/components/icons'
import { plural } from '@/lib/plural'

import type { Kind } from './queries'
import type { Completed } from './use-celebration'

const titles: Record<Kind, string> = {
  tour: 'Welcome aboard!',
  partnership: 'Partnership discovery is complete!',
}

/** What was just completed, the credits for it, and what is next. */
export function CompletedNote({ completed }: { completed: Completed | null }) {
  return (
    <div role="status">
      {completed && (
        <Alert role="group" color="green" variant="outline" icon={<IconCheck />} title={titles[completed.kind]} mb="md">
          <Text size="sm">{completed.kind === 'tour' ? <FirstMission /> : <BuildTogether />}</Text>
          {completed.awarded > 0 && (
            <Text size="sm" fw={600} mt={4}>
              +{plural(completed.awarded, 'credit')}: you have {completed.credits} now.
            </Text>
          )}
        </Alert>
      )}
    </div>
  )
}

const FirstMission = () => (
  <>
    Now for your first mission: write a post under{' '}
    <Anchor component={Link} to="/bot-operations" inherit underline="always">
      Bot operations
    </Anchor>
    .
  </>
)

const BuildTogether = () => (
  <>
    Thank you for your answers. Let's build this together: tell the world what you want to see, in a post under{' '}
    <Anchor component={Link} to="/bot-operations" inherit underline="always">
      Bot operations
    </Anchor>
    .
  </>
)
