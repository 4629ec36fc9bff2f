import { Alert, Skeleton, Stack } from '@mantine/core'

import { isOpen, useVerify } from '@/api/verification'
import { Loaded } from '@/components/loaded'
import { Section } from '@/components/section'

import { RunResult } from './run-result'
import { RunUnknown } from './run-unknown'
import { StartForm } from './start-form'
import { runningInstead, StartTrouble } from './start-trouble'
import { isUnknown } from './unknown'
import { useFollowedRun } from './use-followed-run'

/** Starts a site check, follows it and shows its result. */
export function Verify() {
  const { id, query, follow } = useFollowedRun()
  const verify = useVerify()
  const other = verify.error ? runningInstead(verify.error) : undefined
  const busy = verify.isPending || (query.data !== undefined && isOpen(query.data))
  return (
    <Stack gap="lg">
      <Section title="Look at a page">
        <StartForm
          busy={busy}
          error={verify.error}
          onAsk={(question) =>
            verify.mutate(question, {
              onSuccess: (run) => follow(run.id),
              onError: (error) => {
                const running = runningInstead(error)
                if (running !== undefined) follow(running)
              },
            })
          }
        />
        {verify.error && other === undefined && <StartTrouble error={verify.error} />}
        {other !== undefined && other === id && (
          <Alert variant="outline" color="blue" mt="md" role="status">
            A verification of yours was running already: it is shown below. You can start another one when it has ended.
          </Alert>
        )}
      </Section>
      {id !== '' && (
        <div>
          <Followed id={id} query={query} />
        </div>
      )}
    </Stack>
  )
}

function Followed({ id, query }: Omit<ReturnType<typeof useFollowedRun>, 'follow'>) {
  if (query.data === undefined && isUnknown(query.error)) return <RunUnknown />
  return (
    <Loaded query={query} what="the verification" loading={<Skeleton h={320} aria-busy="true" />}>
      {(run) => <RunResult key={id} run={run} />}
    </Loaded>
  )
}
