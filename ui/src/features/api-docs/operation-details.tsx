import { Badge, Code, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

import classes from './api-docs.module.css'
import { type Body, contentOf, type Operation } from './contract'
import { Description } from './description'
import { Entry } from './entry'
import { FieldList } from './field-list'
import { TypeLink } from './type-link'

export function OperationDetails({ operation }: { operation: Operation }) {
  return (
    <Entry id={operation.operationId} summary={<Summary operation={operation} />}>
      <Details operation={operation} />
    </Entry>
  )
}

const colors: Record<string, string> = { GET: 'blue', DELETE: 'red' }
const schemeNames: Record<string, string> = { founder: 'admin key', token: 'bearer token' }

function Summary({ operation: { operationId, method, path, summary, security = [] } }: { operation: Operation }) {
  return (
    <>
      <span className={classes.summary}>{summary ?? operationId}</span>
      <span className={classes.call}>
        <Badge variant="outline" color={colors[method] ?? 'orange'} radius="sm">
          {method}
        </Badge>
        <Code className="wrap-anywhere">{path}</Code>
        {security.flatMap(Object.keys).map((scheme) => (
          <Badge key={scheme} variant="outline" color="gray">
            {schemeNames[scheme] ?? scheme}
          </Badge>
        ))}
      </span>
    </>
  )
}

function Details({ operation }: { operation: Operation }) {
  const { description, parameters = [], requestBody, responses = {} } = operation
  return (
    <Stack gap="sm" pt="sm" fz="sm">
      <Description text={description} />
      {parameters.length > 0 && (
        <Part title="Parameters">
          <FieldList
            fields={parameters.map(({ name, required = false, schema = {}, description: note, in: place }) => ({
              name,
              required,
              schema,
              note: [`In the ${place}`, note].filter(Boolean).join('. '),
            }))}
          />
        </Part>
      )}
      {requestBody && <Content title="Request body" of={requestBody} />}
      {Object.entries(responses).map(([status, body]) => (
        <Content key={status} title={status === 'default' ? 'Error response' : `Response ${status}`} of={body} />
      ))}
    </Stack>
  )
}

function Content({ title, of: body }: { title: string; of: Body }) {
  const { schema, example } = contentOf(body)
  return (
    <Part title={title}>
      <Text size="sm">{schema ? <TypeLink schema={schema} /> : 'No body'}</Text>
      {example !== undefined && (
        <Code
          block
          mt={6}
          className={classes.example ?? ''}
          tabIndex={0}
          role="region"
          aria-label={`Example: ${title.toLowerCase()}`}
        >
          {typeof example === 'string' ? example : JSON.stringify(example, null, 2)}
        </Code>
      )}
    </Part>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <Title order={3} fz="sm" mb={4}>
        {title}
      </Title>
      {children}
    </div>
  )
}
