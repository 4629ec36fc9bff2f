import { Badge, Code, Group, Stack, Text } from '@mantine/core'

import classes from './api-docs.module.css'
import { type Operation, schemaOf } from './contract'
import { FieldList } from './field-list'
import { TypeLink } from './type-link'

/** One call: a line, and more on demand. */
export function OperationDetails({ operation }: { operation: Operation }) {
  return (
    <details className={classes.operation}>
      <summary>
        <Group gap="xs">
          <Badge variant="outline" color={operation.method === 'GET' ? 'blue' : 'orange'} radius="sm">
            {operation.method}
          </Badge>
          <Code className="wrap-anywhere">{operation.path}</Code>
          <Text span size="sm">
            {operation.summary}
          </Text>
          {operation.security && (
            <Badge variant="outline" color="gray">
              founders
            </Badge>
          )}
        </Group>
      </summary>
      <Stack gap={6} pt="sm" fz="sm">
        <Parameters operation={operation} />
        <Sent operation={operation} />
        {Object.entries(operation.responses ?? {}).map(([status, body]) => {
          const schema = schemaOf(body)
          return (
            <div key={status}>
              {status === 'default' ? 'Any error' : `Answers ${status}`}:{' '}
              {schema ? <TypeLink schema={schema} /> : 'nothing'}
            </div>
          )
        })}
      </Stack>
    </details>
  )
}

function Sent({ operation }: { operation: Operation }) {
  const schema = schemaOf(operation.requestBody)
  if (schema === undefined) return null
  return (
    <div>
      Takes <TypeLink schema={schema} />
    </div>
  )
}

function Parameters({ operation: { parameters } }: { operation: Operation }) {
  if (parameters === undefined) return null
  const fields = parameters.map(({ name, required = false, schema = {}, description, in: place }) => ({
    name,
    required,
    schema,
    note: [`In the ${place}`, description].filter(Boolean).join('. '),
  }))
  return <FieldList fields={fields} />
}
