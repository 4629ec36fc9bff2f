import { Button } from '@mantine/core'

import { useFounderKey } from '@/api/founder-key'
import { useOpenFounderAccess } from '@/components/founder-access'
import { IconCheck, IconKey, IconWarning } from '@/components/icons'

/** Says whether a founder key is in use, and opens the dialog. */
export function FounderButton() {
  const { key, refused } = useFounderKey()
  const open = useOpenFounderAccess()
  const state = refused ? 'refused' : key === null ? 'none' : 'set'
  return (
    <Button size="xs" variant="default" leftSection={<FounderIcon state={state} />} onClick={open}>
      Founder access{state !== 'none' && <>: {state === 'set' ? 'on' : 'refused'}</>}
    </Button>
  )
}

function FounderIcon({ state }: { state: 'none' | 'set' | 'refused' }) {
  if (state === 'refused') return <IconWarning size={15} />
  return state === 'set' ? <IconCheck size={15} /> : <IconKey size={15} />
}
