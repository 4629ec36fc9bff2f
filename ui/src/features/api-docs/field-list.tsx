import { Code, Text } from '@mantine/core'

import classes from './api-docs.module.css'
import type { Schema } from './contract'
import { TypeLink } from './type-link'

export type Field = { name: string; required: boolean; schema: Schema; note?: string | undefined }

export function FieldList({ fields }: { fields: Field[] }) {
  return (
    <ul className={classes.fields}>
      {fields.map(({ name, required, schema, note }) => (
        <li key={name}>
          <Code>{name}</Code>{' '}
          <Text span size="sm" c="dimmed">
            <TypeLink schema={schema} />
            {!required && ', optional'}
            {limitsOf(schema)}
            {schema.enum && `: ${schema.enum.map(String).join(', ')}`}
            {note && '. '}
          </Text>
          <Text span size="sm">
            {note}
          </Text>
        </li>
      ))}
    </ul>
  )
}

function limitsOf({ minLength, maxLength, minimum, maximum, default: byDefault }: Schema) {
  const [least, most, unit] =
    maxLength === undefined && minLength === undefined ? [minimum, maximum, ''] : [minLength, maxLength, ' characters']
  const range =
    least !== undefined && most !== undefined
      ? `, ${least} to ${most}${unit}`
      : most !== undefined
        ? `, at most ${most}${unit}`
        : least !== undefined
          ? `, at least ${least}${unit}`
          : ''
  return byDefault === undefined ? range : `${range}, default ${JSON.stringify(byDefault)}`
}

export const fieldsOf = (schema: Schema): Field[] =>
  Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    required: schema.required?.includes(name) ?? false,
    schema: property,
    note: property.description,
  }))
