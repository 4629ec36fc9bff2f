import type { Operation } from './contract'

const ignored = new Set(['a', 'an', 'the', 'of', 'to', 'for', 'how', 'i', 'my', 'or', 'and', 'with'])

const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '' && !ignored.has(word))

const textOf = ({ summary = '', operationId, path, tag, description = '' }: Operation) =>
  `${summary} ${operationId} ${path} ${tag} ${description}`.toLowerCase()

/**
 * The operations that contain the most words of the query, those with the words in the summary first. An
 * empty query matches every operation.
 */
export function search(operations: Operation[], query: string) {
  const words = wordsOf(query)
  const hits = (text: string) => words.filter((word) => text.includes(word)).length
  const found = operations.map((operation) => ({
    operation,
    all: hits(textOf(operation)),
    summary: hits((operation.summary ?? '').toLowerCase()),
  }))
  const most = Math.max(0, ...found.map(({ all }) => all))
  return found
    .filter(({ all }) => all === most && (most > 0 || words.length === 0))
    .toSorted((a, b) => b.summary - a.summary)
    .map(({ operation }) => operation)
}
