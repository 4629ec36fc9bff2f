import { Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import { CardSkeletons } from '@/components/card-skeletons'
import { Loaded } from '@/components/loaded'
import { Section } from '@/components/section'

import classes from './api-docs.module.css'
import { bySubject, type Contract, contractQuery } from './contract'
import { FieldList, fieldsOf } from './field-list'
import { OperationDetails } from './operation-details'
import { schemaAnchor } from './type-link'

/** The contract for people, drawn from the same printout that machines read. */
export function ApiDocs() {
  const contract = useQuery(contractQuery)
  return (
    <Loaded query={contract} what="the contract" loading={<CardSkeletons count={4} height={80} />}>
      {(data) => (
        <Stack gap="lg">
          {bySubject(data).map(([subject, operations]) => (
            <Section key={subject} title={subject}>
              {operations.map((operation) => (
                <OperationDetails key={operation.operationId} operation={operation} />
              ))}
            </Section>
          ))}
          <Schemas contract={data} />
        </Stack>
      )}
    </Loaded>
  )
}

function Schemas({ contract }: { contract: Contract }) {
  return (
    <Section title="Schemas">
      <Stack gap="lg">
        {Object.entries(contract.components.schemas).map(([name, schema]) => (
          <div key={name} id={schemaAnchor(name)} className={classes.schema}>
            <Title order={3} fz="md" mb={4}>
              {name}
            </Title>
            <FieldList fields={fieldsOf(schema)} />
          </div>
        ))}
      </Stack>
    </Section>
  )
}
