import { ApiError, type Schemas } from '@/api/client'

type Details = Schemas['Problem']['details']

export const isStale = (error: Error | null) => error instanceof ApiError && error.code === 'edit_stale'

/** The server's errors by field, and the rest for the form as a whole. */
export function fieldErrors<Name extends string>(error: Error | null, names: readonly Name[]) {
  const details = error instanceof ApiError ? error.details : []
  const at: Partial<Record<Name, string>> = {}
  const rest: Details = []
  for (const detail of details) {
    const name = names.find((one) => one === nameOf(detail.field))
    if (name === undefined) rest.push(detail)
    else at[name] = at[name] === undefined ? told(detail) : `${at[name]} ${told(detail)}`
  }
  return { at, rest, isMapped: details.length > 0 && rest.length === 0 }
}

// "title" of body.title and of body.title[2].
const nameOf = (field: string) => /^(?:body\.)?(\w+)/.exec(field)?.[1]

/** The reason and, for a list, the line. */
function told({ field, reason }: Details[number]) {
  const place = /\[(\d+)\]/.exec(field)?.[1]
  return place === undefined ? reason : `Line ${Number(place) + 1}: ${reason}`
}
