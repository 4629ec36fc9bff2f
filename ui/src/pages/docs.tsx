import { Anchor } from '@mantine/core'

import { PageHeader } from '@/components/page-header'
import { ApiDocs } from '@/features/api-docs/api-docs'

export function DocsPage() {
  return (
    <>
      <PageHeader title="API">
        The HTTP API that this site uses. For programs:{' '}
        <Anchor href="/openapi.json" underline="always">
          openapi.json
        </Anchor>
      </PageHeader>
      <ApiDocs />
    </>
  )
}
