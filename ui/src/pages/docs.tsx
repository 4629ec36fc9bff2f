import { Anchor } from '@mantine/core'

import { PageHeader } from '@/components/page-header'
import { ApiDocs } from '@/features/api-docs/api-docs'

export function DocsPage() {
  return (
    <>
      <PageHeader title="API">
        Every call this site makes, open to you too. For machines:{' '}
        <Anchor href="/openapi.json" underline="always">
          openapi.json
        </Anchor>
      </PageHeader>
      <ApiDocs />
    </>
  )
}
