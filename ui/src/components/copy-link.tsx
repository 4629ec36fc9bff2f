import { Button, VisuallyHidden } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'

import { IconCheck, IconCopy } from './icons'

export function CopyLink({ url }: { url: string }) {
  const { copy, copied, error } = useClipboard({ timeout: 2_000 })
  return (
    <>
      <Button
        variant="subtle"
        size="compact-sm"
        leftSection={copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
        onClick={() => copy(url)}
      >
        {copied ? 'Copied' : 'Copy link'}
      </Button>
      <VisuallyHidden role="status">
        {copied && 'Link copied'}
        {error !== null && 'The browser did not allow copying'}
      </VisuallyHidden>
    </>
  )
}
