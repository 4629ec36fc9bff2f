import { SimpleGrid, Skeleton, Stack, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'react-router'

import { useMay } from '@/api/use-may'
import { Loaded } from '@/components/loaded'
import { Section } from '@/components/section'

import { progressText } from './candidate-state'
import { Editor } from './editor'
import { Leaderboard } from './leaderboard'
import { type Candidate, choicesQuery, generationQuery, useStartGeneration } from './queries'
import { QuestionForm } from './question-form'
import { RecentPosts } from './recent-posts'
import { ReplaceDialog } from './replace-dialog'
import { Texts, Trouble } from './texts'
import { isTyped, useDraft } from './use-draft'

/** Generates texts, collects the user's vote, and edits and posts the chosen one. */
export function TweetGenerator() {
  const { draft, write, take, clear } = useDraft()
  const [offered, setOffered] = useState<Candidate | null>(null)
  const use = (candidate: Candidate) => (isTyped(draft) ? setOffered(candidate) : take(candidate))
  return (
    <Stack gap="lg">
      <Generate onUse={use} />
      <Editor draft={draft} onWrite={write} onSafe={clear} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Leaderboard />
        <RecentPosts />
      </SimpleGrid>
      <ReplaceDialog candidate={offered} onReplace={take} onClose={() => setOffered(null)} />
    </Stack>
  )
}

function Generate({ onUse }: { onUse: (candidate: Candidate) => void }) {
  const choices = useQuery(choicesQuery)
  const [id, setId] = useGenerationId()
  const start = useStartGeneration()
  const { data: shown } = useQuery({ ...generationQuery(id ?? ''), enabled: id !== null })
  const writing = start.isPending || shown?.done === false
  return (
    <>
      <Section title="What to write">
        <Stack gap="md">
          <Loaded query={choices} what="the models" loading={<Skeleton h={360} aria-busy="true" />}>
            {(data) => (
              <QuestionForm
                choices={data}
                busy={writing}
                onAsk={(question) => start.mutate(question, { onSuccess: (made) => setId(made.id) })}
              />
            )}
          </Loaded>
          {start.error && <Trouble error={start.error} />}
          <VisuallyHidden role="status">
            {start.isPending ? 'Writing…' : shown !== undefined && progressText(shown)}
          </VisuallyHidden>
        </Stack>
      </Section>
      {id !== null && <Texts id={id} onUse={onUse} />}
    </>
  )
}

/** The generation in the URL, so that a reload shows it again. Visitors have none. */
function useGenerationId() {
  const [params, setParams] = useSearchParams()
  const may = useMay()
  const set = (generation: string) => setParams({ generation }, { replace: true, preventScrollReset: true })
  return [may.write ? params.get('generation') : null, set] as const
}
