import { queryOptions } from '@tanstack/react-query'

/** As much of OpenAPI as our own printout uses. */
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
}

type Body = { content?: Record<string, { schema?: Schema }> }

export type Parameter = { name: string; in: string; required?: boolean; description?: string; schema?: Schema }

type Described = {
  operationId: string
  summary?: string
  tags?: string[]
  parameters?: Parameter[]
  requestBody?: Body
  responses?: Record<string, Body>
  security?: unknown[]
}

export type Operation = Described & { method: string; path: string }

export type Contract = {
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

/** The operations, those of a subject together, in the order of the contract. */
export function bySubject({ paths }: Contract): [subject: string, operations: Operation[]][] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ ...described, method: method.toUpperCase(), path })),
  )
  return Object.entries(Object.groupBy(all, ({ tags }) => capitalize(tags?.[0] ?? 'other'))).map(
    ([subject, some = []]) => [subject, some],
  )
}

export const schemaOf = (body: Body | undefined) => Object.values(body?.content ?? {})[0]?.schema

/** The name of the schema a field points at, itself or in a list. */
export const refName = (schema: Schema): string | undefined =>
  schema.$ref?.split('/').at(-1) ?? (schema.items && refName(schema.items))

/** "string, date-time", "integer", "BotPost, many" */
export function typeName(schema: Schema): string {
  if (schema.$ref !== undefined) return refName(schema) ?? ''
  if (schema.items !== undefined) return `${typeName(schema.items)}, many`
  const type = [schema.type ?? 'any'].flat().join(' or ')
  return schema.format === undefined || schema.format === 'int64' ? type : `${type}, ${schema.format}`
}
