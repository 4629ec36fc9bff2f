import { queryOptions } from '@tanstack/react-query'

/** The parts of OpenAPI 3.1 that our document uses. */
export type Schema = {
  $ref?: string
  type?: string | string[]
  format?: string
  description?: string
  enum?: unknown[]
  items?: Schema
  properties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  required?: string[]
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  default?: unknown
}

export type Body = {
  description?: string
  content?: Record<string, { schema?: Schema; example?: unknown; examples?: Record<string, { value?: unknown }> }>
}

export type Parameter = { name: string; in: string; required?: boolean; description?: string; schema?: Schema }

type Described = {
  operationId: string
  summary?: string
  description?: string
  tags?: string[]
  parameters?: Parameter[]
  requestBody?: Body
  responses?: Record<string, Body>
  security?: Record<string, unknown>[]
}

export type Operation = Described & { method: string; path: string; tag: string }

export type Contract = {
  info?: { description?: string }
  tags?: { name: string; description?: string }[]
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema> }
}

export const contractQuery = queryOptions({
  queryKey: ['contract'],
  queryFn: async ({ signal }): Promise<Contract> => {
    const response = await fetch('/openapi.json', { signal })
    if (!response.ok) throw new Error(`The server answered ${response.status}.`)
    return response.json()
  },
  staleTime: Number.POSITIVE_INFINITY,
})

const capitalize = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

export const operationsOf = ({ paths }: Contract): Operation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      ...described,
      method: method.toUpperCase(),
      path,
      tag: capitalize(described.tags?.[0] ?? 'other'),
    })),
  )

/** Groups operations by tag, in the order of the document. */
export const byTag = (operations: Operation[]) => [...Map.groupBy(operations, ({ tag }) => tag)]

/** The body's schema and example, of its first media type. */
export function contentOf(body: Body | undefined) {
  const { schema, example, examples = {} } = Object.values(body?.content ?? {})[0] ?? {}
  return { schema, example: example ?? Object.values(examples)[0]?.value }
}

/** The name of the schema that a field refers to, directly or as the items of a list. */
export const refName = (schema: Schema): string | undefined =>
  schema.$ref?.split('/').at(-1) ?? (schema.items && refName(schema.items))

/** "string, date-time", "integer", "list of BotPost" */
export function typeName(schema: Schema): string {
  if (schema.$ref !== undefined) return refName(schema) ?? ''
  if (schema.items !== undefined) return `list of ${typeName(schema.items)}`
  const type = [schema.type ?? 'any'].flat().join(' or ')
  return schema.format === undefined || schema.format === 'int64' ? type : `${type}, ${schema.format}`
}
