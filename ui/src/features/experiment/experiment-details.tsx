import { Skeleton, Stack, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'

import { ApiError } from '@/api/client'
import { experimentQuery } from '@/api/experiments'
import { LoadError } from '@/components/load-error'
import { StaleNote } from '@/components/stale-note'
import { type Trouble, useTrouble } from '@/lib/use-trouble'

import { FoundersDesk } from './founders-desk'
import { Head } from './head'
import { Idea } from './idea'
import { JoinCall } from './join-call'
import { LabNotes } from './lab-notes'
import { Measured } from './measured'
import { Outcome } from './outcome'
import { Plan } from './plan'
import { UnknownExperiment } from './unknown-experiment'
import { ConfirmLeaving } from './unsaved'
import type { Detail } from './words'

type Sample = (trouble: Trouble, retrying: boolean, onRetry: () => void) => ReactNode

/** An experiment. Sample data may be shown while live data cannot be loaded. */
export function ExperimentDetails({ slug, sample }: { slug: string; sample?: Sample | undefined }) {
  const query = useQuery(experimentQuery(slug))
  const trouble = useTrouble(query)
  if (query.data !== undefined) {
    return (
      <ConfirmLeaving>
        <StaleNote trouble={trouble} />
        <Parts experiment={query.data} />
      </ConfirmLeaving>
    )
  }
  if (trouble === null) return <Loading />
  if (isUnknown(trouble.error)) return <UnknownExperiment />
  const retry = () => void query.refetch()
  return (
    <>
      <title>Experiment · Customer Zero</title>
      {sample && isOurs(trouble.error) ? (
        sample(trouble, query.isFetching, retry)
      ) : (
        <LoadError what="the experiment" error={trouble.error} retrying={query.isFetching} onRetry={retry} />
      )}
    </>
  )
}

/** The experiment does not exist for this caller, or the address is not a valid ID. */
const isUnknown = (error: Error) => error instanceof ApiError && [400, 404, 422].includes(error.status)

/** The server failed or cannot be reached. */
const isOurs = (error: Error) => !(error instanceof ApiError) || error.status >= 500

function Loading() {
  return (
    <Stack gap="lg" aria-busy="true">
      <title>Experiment · Customer Zero</title>
      <VisuallyHidden>Loading…</VisuallyHidden>
      <Skeleton h={120} />
      <Skeleton h={260} />
      <Skeleton h={260} />
    </Stack>
  )
}

function Parts({ experiment }: { experiment: Detail }) {
  return (
    <article>
      <Head experiment={experiment} />
      <Stack gap="lg">
        <FoundersDesk experiment={experiment} />
        <Outcome experiment={experiment} />
        {experiment.measure && <Measured experiment={experiment} measure={experiment.measure} />}
        <Idea experiment={experiment} />
        <Plan experiment={experiment} />
        <LabNotes experiment={experiment} />
        <JoinCall />
      </Stack>
    </article>
  )
}
