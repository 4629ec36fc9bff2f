import { Stack } from '@mantine/core'

import { FormError } from '@/components/form-error'
import { SettingSwitch } from '@/components/setting-switch'

import { useSetNotices } from './queries'

type Props = { wanted: boolean; hasAddress: boolean }

export function Notices({ wanted, hasAddress }: Props) {
  const set = useSetNotices()
  return (
    <Stack gap="xs">
      <SettingSwitch
        label="Emails about my posts"
        aria-label="Emails about my posts" // the library counts the description to the label
        description={
          hasAddress
            ? 'When a post of yours failed or needs a decision, was approved or not, or a recurring post of yours is paused. Codes come in any case.'
            : 'They need an address to go to.'
        }
        on={wanted}
        onTurn={(next, onSettled) => set.mutate(next, { onSettled })}
      />
      <FormError error={set.error} />
    </Stack>
  )
}
