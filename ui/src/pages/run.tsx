import { Anchor, Box } from '@mantine/core'
import { Link, useParams, useSearchParams } from 'react-router'

import { PageHeader } from '@/components/page-header'
import { RunView } from '@/features/runs/run-view'

export function RunPage() {
  const { id = '' } = useParams()
  const [params] = useSearchParams()
  const run = params.get('run') ?? ''
  return (
    <Box maw={960}>
      <PageHeader title="Run">
        Each step of one workflow run, from its history. Texts, addresses and names are omitted.{' '}
        <Anchor component={Link} to="/runs" underline="always" inherit>
          Newest runs
        </Anchor>
      </PageHeader>
      <RunView key={`${id} ${run}`} id={id} run={run} />
    </Box>
  )
}
