type Node = { type: string; depth?: number; children?: Node[] }

const above = 3 // the page has a title, its parts have headings, and so has each day
const lowest = 6
const deepest = 100 // parts in one another; a browser draws no more than some hundreds

/**
 * A part of the parser: gives headings the levels below those of the page, one step at a time,
 * whatever their author began with. Who listens to a page finds no level missing. Throws a RangeError
 * for text with more than 100 parts in one another.
 */
export function headingLevels() {
  return (tree: Node) => {
    const open: number[] = []
    const visit = (node: Node, inside: number) => {
      if (inside > deepest) throw new RangeError('too many parts in one another')
      if (node.type === 'heading') node.depth = level(open, node.depth ?? 1)
      for (const child of node.children ?? []) visit(child, inside + 1)
    }
    visit(tree, 0)
  }
}

/** How many headings this one stands under, with itself. */
function level(open: number[], written: number) {
  while (open.length > 0 && (open.at(-1) ?? 0) >= written) open.pop()
  open.push(written)
  return Math.min(lowest, above + open.length)
}
