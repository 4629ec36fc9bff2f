/** A ref for what people should see when it appears: the dialog may be longer than the screen. */
export function bringIntoView(node: HTMLElement | null) {
  node?.scrollIntoView({ block: 'nearest' })
}
