/** A ref that scrolls a new element into view, because the dialog may be longer than the screen. */
export function bringIntoView(node: HTMLElement | null) {
  node?.scrollIntoView({ block: 'nearest' })
}
