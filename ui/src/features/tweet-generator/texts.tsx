import { Alert, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { LoadError } from '@/components/load-error'
import { RunLink } from '@/components/run-link'
import { Section } from '@/components/section'
import { useTrouble } from '@/lib/use-trouble'

import { CandidateCard, cardId } from './candidate-card'
import { isUsable } from './candidate-state'
import { type Candidate, type Generation, generationQuery, useVote } from './queries'
import { generationTrouble } from './troubles'
import classes from './tweet-generator.module.css'

type Props = { id: string; onUse: (candidate: Candidate) => void }

/** The texts side by side. */
export function Texts({ id, onUse }: Props) {
  const generation = useQuery(generationQuery(id))
  const trouble = useTrouble(generation)
  const retry = () => void generation.refetch()
  return (
    <Section title="Texts" aside={generation.data && <Run generation={generation.data} />}>
      <Stack gap="md">
        {trouble !== null && generation.data !== undefined && <Trouble error={trouble.error} />}
        {generation.data && <Candidates generation={generation.data} onUse={onUse} />}
        {generation.data === undefined && trouble === null && <Skeleton h={160} aria-busy="true" />}
        {generation.data === undefined && trouble !== null && (
          <LoadError what="the texts" error={trouble.error} retrying={generation.isFetching} onRetry={retry} />
        )}
      </Stack>
    </Section>
  )
}

function Run({ generation: { runUrl } }: { generation: Generation }) {
  if (runUrl === '') return null
  return (
    <RunLink href={runUrl} size="sm">
      Open run
    </RunLink>
  )
}

function Candidates({ generation, onUse }: { generation: Generation; onUse: Props['onUse'] }) {
  const vote = useVote(generation.id)
  const { candidates, blind, voted, done } = generation
  // The button that had the focus disappears with the vote.
  const choose = (candidateId: string) =>
    vote.isPending ||
    vote.mutate(candidateId, { onSuccess: () => document.getElementById(cardId(candidateId))?.focus() })
  const mayVote = blind && !voted && done && candidates.filter(isUsable).length > 0
  return (
    <>
      <Text size="sm" c="dimmed">
        About “{generation.prompt}”. {voteHint(generation)}
      </Text>
      {vote.error && <Trouble error={vote.error} title="Your vote was not counted" />}
      <div className={classes.candidates}>
        {candidates.map((candidate) => (
          <CandidateCard
            key={candidate.id}
            candidate={candidate}
            voting={vote.isPending && vote.variables === candidate.id}
            onVote={mayVote ? () => choose(candidate.id) : undefined}
            onUse={() => onUse(candidate)}
          />
        ))}
      </div>
    </>
  )
}

function voteHint({ blind, voted, done }: Generation) {
  if (!blind) return ''
  if (voted) return 'A vote between models counts in the leaderboard.'
  return done
    ? 'Say which one is best: then you see who wrote it.'
    : 'Who writes which is told once you have said which is best.'
}

export function Trouble({ error, title }: { error: Error; title?: string }) {
  return (
    <Alert color="red" variant="outline" title={title}>
      {generationTrouble(error)}
    </Alert>
  )
}
