type Node = { type: string; depth?: number; children?: Node[] }

const above = 3 // the page has a title, its parts have headings, and so has each day
const lowest = 6
const deepest = 100 // nesting levels; browsers render no more than some hundreds

/**
 * A remark plugin that moves the headings below the page's own levels and leaves no level out, as screen
 * readers need. Throws a RangeError for text with more than 100 nesting levels.
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

/** The level of a heading: the number of headings that it is nested in, itself included. */
function level(open: number[], written: number) {
  while (open.length > 0 && (open.at(-1) ?? 0) >= written) open.pop()
  open.push(written)
  return Math.min(lowest, above + open.length)
}
