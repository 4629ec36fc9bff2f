import { Card, Group } from '@mantine/core'

import { useSession } from '@/api/session'
import { PageHeader } from '@/components/page-header'
import { LabPhilosophy } from '@/features/admin/lab-philosophy'
import { AuthArea } from '@/features/experiments/auth-area'
import { JoinCall } from '@/features/experiments/join-call'
import { Lab } from '@/features/experiments/lab'
import { SubmitExperiment } from '@/features/experiments/submit-experiment'
import { DiagnosisDialog } from '@/features/oauth-diagnosis/diagnosis-dialog'
import { DiagnosisTrouble } from '@/features/oauth-diagnosis/diagnosis-trouble'
import { useDiagnosis } from '@/features/oauth-diagnosis/use-diagnosis'
import { NameForm } from '@/features/sign-in/name-form'

// X's login is a server route, which the router does not know.
const leaveFor = (address: string) => location.assign(address)

/** `go` leaves the app for a URL. */
export function ExperimentsPage({ go = leaveFor }: { go?: (address: string) => void }) {
  const { session } = useSession()
  const diagnosis = useDiagnosis({ go, stay: session?.isAuthenticated === true })
  return (
    <>
      <Group justify="space-between" align="flex-start" gap="sm">
        <PageHeader title="Experiments lab">
          Ideas of the community, tried in public. Every result names the run that shows it.
        </PageHeader>
        <SubmitExperiment />
      </Group>
      <Card component="section" aria-label="Your login" withBorder padding="lg" mb="lg">
        <AuthArea
          onTest={diagnosis.start}
          trouble={!diagnosis.opened && <DiagnosisTrouble run={diagnosis.run} />}
          manualLogin={<NameForm next="/experiments" />}
        />
      </Card>
      <Lab />
      <JoinCall />
      <DiagnosisDialog diagnosis={diagnosis} />
      <LabPhilosophy />
    </>
  )
}
