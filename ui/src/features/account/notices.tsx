import { Stack, Switch } from '@mantine/core'

import { FormError } from '@/components/form-error'

import { useSetNotices } from './queries'

type Props = { wanted: boolean; hasAddress: boolean }

export function Notices({ wanted, hasAddress }: Props) {
  const set = useSetNotices()
  return (
    <Stack gap="xs">
      <Switch
        label="Letters about my posts"
        aria-label="Letters about my posts" // the library counts the description to the label
        description={
          hasAddress
            ? 'When a post of yours failed or needs a decision, was approved or not, or a series of yours is paused. Codes come in any case.'
            : 'They need an address to go to.'
        }
        // What was asked for shows at once; the server's word comes back if it refuses.
        checked={set.isPending ? set.variables : wanted}
        onChange={(event) => set.isPending || set.mutate(event.currentTarget.checked)}
      />
      <FormError error={set.error} />
    </Stack>
  )
}
