import { Anchor } from '@mantine/core'

import { refName, type Schema, typeName } from './contract'

export const schemaAnchor = (name: string) => `schema-${name}`

/** A type, which leads to its fields when it has a name of its own. */
export function TypeLink({ schema }: { schema: Schema }) {
  const name = refName(schema)
  if (name === undefined) return <>{typeName(schema)}</>
  return (
    <Anchor href={`#${schemaAnchor(name)}`} size="sm" underline="always">
      {typeName(schema)}
    </Anchor>
  )
}
