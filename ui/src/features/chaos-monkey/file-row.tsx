import { ActionIcon, Badge, VisuallyHidden } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'

import type { Schemas } from '@/api/client'
import { IconCheck, IconCopy } from '@/components/icons'
import { number } from '@/lib/plural'

import classes from './chaos-monkey.module.css'

const shown = 12

/** One critical file: its size, the start of its hash, and whether it matches the manifest. */
export function FileRow({ file: { name, size, sha256, ok } }: { file: Schemas['TargetFile'] }) {
  const { copy, copied } = useClipboard({ timeout: 2_000 })
  return (
    <li className={classes.file}>
      <span className="wrap-anywhere">{name}</span>
      <span className={`${classes.size} numbers`}>{number(size)} bytes</span>
      <span className={classes.hash}>
        <code title={sha256}>{sha256.slice(0, shown)}…</code>
        <ActionIcon variant="subtle" size="sm" aria-label={`Copy the sha256 of ${name}`} onClick={() => copy(sha256)}>
          {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
        </ActionIcon>
        <VisuallyHidden role="status">{copied && `Copied the sha256 of ${name}`}</VisuallyHidden>
      </span>
      <Badge variant="outline" color={ok ? 'green' : 'red'}>
        {ok ? 'as signed' : 'differs'}
      </Badge>
    </li>
  )
}
