type Node = { type: string; depth?: number; children?: Node[] }

const above = 3 // the page has a title, its parts have headings, and so has each day
const lowest = 6

/**
 * A part of the parser: gives headings the levels below those of the page, one step at a time,
 * whatever their author began with. Who listens to a page finds no level missing.
 */
export function headingLevels() {
  return (tree: Node) => {
    const open: number[] = []
    const visit = (node: Node) => {
      if (node.type === 'heading') node.depth = level(open, node.depth ?? 1)
      node.children?.forEach(visit)
    }
    visit(tree)
  }
}

/** How many headings this one stands under, with itself. */
function level(open: number[], written: number) {
  while (open.length > 0 && (open.at(-1) ?? 0) >= written) open.pop()
  open.push(written)
  return Math.min(lowest, above + open.length)
}
