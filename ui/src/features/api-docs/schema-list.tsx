import { Title } from '@mantine/core'

import { Section } from '@/components/section'

import type { Contract } from './contract'
import { Entry } from './entry'
import { FieldList, fieldsOf } from './field-list'
import { schemaAnchor } from './type-link'

/** The schemas of requests and responses, to which the operations link. */
export function SchemaList({ contract }: { contract: Contract }) {
  return (
    <Section title="Schemas">
      {Object.entries(contract.components.schemas).map(([name, schema]) => (
        <Entry
          key={name}
          id={schemaAnchor(name)}
          summary={
            <Title order={3} fz="md" fw={600}>
              {name}
            </Title>
          }
        >
          <FieldList fields={fieldsOf(schema)} />
        </Entry>
      ))}
    </Section>
  )
}
