import { Badge, Text } from '@mantine/core'

import type { Schemas } from '@/api/client'
import { IconCheck, IconSlash } from '@/components/icons'

import classes from './admin.module.css'
import { PanelPart } from './panel-part'

type Props = { secrets: Schemas['Secret'][]; missing: string[] }

export function SecretList({ secrets, missing }: Props) {
  return (
    <>
      <PanelPart title="Secrets">
        <ul className={classes.rows}>
          {secrets.map(({ name, status }) => (
            <li key={name} className={classes.row}>
              <span className="wrap-anywhere">{name}</span>
              <SecretStatus status={status} />
            </li>
          ))}
        </ul>
      </PanelPart>
      <PanelPart title="Missing secrets">
        {missing.length === 0 ? (
          <Text size="sm">None. Everything is set.</Text>
        ) : (
          <Text size="sm" className="wrap-anywhere">
            {missing.join(', ')}
          </Text>
        )}
      </PanelPart>
    </>
  )
}

function SecretStatus({ status }: { status: string }) {
  const look = looks[status]
  if (look === undefined) return <span className={classes.fingerprint}>{status}</span>
  return (
    <Badge variant="outline" color={look.color} leftSection={<look.Icon size={12} />}>
      {status}
    </Badge>
  )
}

// Any other status is a fingerprint.
const looks: Record<string, { color: string; Icon: typeof IconCheck }> = {
  set: { color: 'green', Icon: IconCheck },
  unset: { color: 'gray', Icon: IconSlash },
}
