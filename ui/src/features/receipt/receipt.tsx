import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import type { Leave } from '@/lib/leave-for'

import { Exchange } from './exchange'
import { FinalPrice } from './final-price'
import { Found } from './found'
import { Inputs } from './inputs'
import { Progress } from './progress'
import { Proposal } from './proposal'
import { receiptQuery } from './queries'

/** How a price was calculated. Its address is the only credential. */
export function Receipt({ id, go }: { id: string; go: Leave }) {
  const receipt = useQuery(receiptQuery(id))
  return (
    <Found query={receipt}>
      {(found) => (
        <Stack gap="lg">
          <FinalPrice receipt={found} go={go} />
          {found.decided_at !== undefined && <Proposal receipt={found} />}
          <Inputs receipt={found} />
          {found.model && <Exchange model={found.model} />}
          <Progress receipt={found} />
        </Stack>
      )}
    </Found>
  )
}
