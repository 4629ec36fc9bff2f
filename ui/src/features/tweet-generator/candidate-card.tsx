import { Badge, Button, Card, Group, Text, Title } from '@mantine/core'
import { useId } from 'react'

import { IconCheck } from '@/components/icons'
import { plural } from '@/lib/plural'

import { hasEnded, isUsable, stateStyle } from './candidate-state'
import type { Candidate } from './queries'
import { noText } from './troubles'
import classes from './tweet-generator.module.css'

type Props = {
  candidate: Candidate
  voting: boolean
  onVote?: (() => void) | undefined
  onUse: () => void
}

export const cardId = (id: string) => `candidate-${id}`

/** The text of a model or a template, during and after generation. */
export function CandidateCard({ candidate, voting, onVote, onUse }: Props) {
  const title = useId()
  const { label, model, template, content, weight, state, chosen } = candidate
  return (
    <Card
      component="article"
      id={cardId(candidate.id)}
      tabIndex={-1}
      withBorder
      padding="md"
      aria-labelledby={title}
      className={classes.candidate ?? ''}
    >
      <Group justify="space-between" gap="xs" mb="xs">
        <Title order={3} fz="md" id={title}>
          Text {label}
        </Title>
        <Group gap={6}>
          {chosen && (
            <Badge color="indigo" leftSection={<IconCheck size={12} />}>
              Your choice
            </Badge>
          )}
          <StateBadge state={state} />
        </Group>
      </Group>
      {model !== undefined && (
        <Text size="sm" fw={600} className="wrap-anywhere" mb={4}>
          {model}
          {template && ' (template, no AI)'}
        </Text>
      )}
      {(content !== '' || !hasEnded(candidate)) && (
        <Text className={`wrap-anywhere ${classes.text}`} aria-busy={!hasEnded(candidate)}>
          {content}
        </Text>
      )}
      <Why candidate={candidate} />
      {content !== '' && (
        <Text size="sm" c="dimmed" mt="xs" className="numbers">
          {plural(weight, 'character')} of 280
        </Text>
      )}
      {isUsable(candidate) && (
        <Group gap="xs" mt="sm">
          {onVote && (
            <Button size="sm" loading={voting} onClick={onVote} aria-describedby={title}>
              This one is best
            </Button>
          )}
          <Button size="sm" variant="default" onClick={onUse} aria-describedby={title}>
            Use this text
          </Button>
        </Group>
      )}
    </Card>
  )
}

function StateBadge({ state }: Pick<Candidate, 'state'>) {
  const { label, color, icon: Icon } = stateStyle[state]
  return (
    <Badge variant="outline" color={color} leftSection={<Icon size={12} />}>
      {label}
    </Badge>
  )
}

function Why({ candidate: { state, reason } }: Pick<Props, 'candidate'>) {
  if (state !== 'invalid' && state !== 'failed') return null
  return (
    <Text size="sm" mt="xs" fw={550}>
      {reason || (state === 'failed' ? noText : 'It cannot be posted as it is.')}
    </Text>
  )
}
