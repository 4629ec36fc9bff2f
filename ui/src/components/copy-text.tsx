import { Button, VisuallyHidden } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'

import { IconCheck, IconCopy } from './icons'

/** Copies a text; `what` names it for the label, such as "link" or "token". */
export function CopyText({ text, what }: { text: string; what: string }) {
  const { copy, copied, error } = useClipboard({ timeout: 2_000 })
  return (
    <>
      <Button
        variant="subtle"
        size="compact-sm"
        leftSection={copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
        onClick={() => copy(text)}
      >
        {copied ? 'Copied' : `Copy ${what}`}
      </Button>
      <VisuallyHidden role="status">
        {copied && `${what.charAt(0).toUpperCase()}${what.slice(1)} copied`}
        {error !== null && 'The browser did not allow copying'}
      </VisuallyHidden>
    </>
  )
}
