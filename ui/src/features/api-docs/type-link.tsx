import { Anchor } from '@mantine/core'
import { Link } from 'react-router'

import { refName, type Schema, typeName } from './contract'

export const schemaAnchor = (name: string) => `schema-${name}`

/** A type; a named schema links to its fields. */
export function TypeLink({ schema }: { schema: Schema }) {
  const name = refName(schema)
  if (name === undefined) return <>{typeName(schema)}</>
  return (
    <Anchor component={Link} to={{ hash: schemaAnchor(name) }} size="sm" underline="always">
      {typeName(schema)}
    </Anchor>
  )
}
