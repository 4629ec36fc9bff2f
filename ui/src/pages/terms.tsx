import { PageHeader } from '@/components/page-header'
import { Terms } from '@/features/legal/terms'

export function TermsPage() {
  return (
    <>
      <PageHeader title="Terms of service">
        What you agree to when you use this. First as it was written, then what was added, with its date.
      </PageHeader>
      <Terms />
    </>
  )
}
