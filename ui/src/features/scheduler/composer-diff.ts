export type Word = { text: string; changed: boolean }

/** The words of a text, marked where another text differs. */
export function markChanges(text: string, other: string): Word[] {
  const words = split(text)
  const others = split(other)
  const common = commonLengths(words, others)
  let j = 0
  return words.map((word, i) => {
    while (j < others.length && word !== others[j] && at(common, i, j + 1) >= at(common, i + 1, j)) j++
    const same = word === others[j]
    if (same) j++
    return { text: word, changed: !same && word.trim() !== '' }
  })
}

// Spaces are words too, so that joining restores the text.
const split = (text: string) => text.split(/(\s+)/).filter((word) => word !== '')

const at = (table: number[][], i: number, j: number) => table[i]?.[j] ?? 0

/** A table of the longest common subsequence from each pair of positions. */
function commonLengths(a: string[], b: string[]) {
  const table: number[][] = Array.from({ length: a.length + 1 }, () => [])
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const row = table[i]
      if (row === undefined) continue
      row[j] = a[i] === b[j] ? at(table, i + 1, j + 1) + 1 : Math.max(at(table, i + 1, j), at(table, i, j + 1))
    }
  }
  return table
}
