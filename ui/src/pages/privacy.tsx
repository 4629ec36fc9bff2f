import { PageHeader } from '@/components/page-header'
import { Privacy } from '@/features/legal/privacy'

export function PrivacyPage() {
  return (
    <>
      <PageHeader title="Privacy policy">
        What we know about you, what it is for, and how to take it back. First as it was written, then what was added.
      </PageHeader>
      <Privacy />
    </>
  )
}
