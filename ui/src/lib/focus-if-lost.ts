/**
 * Focuses the element with the ID, unless another element outside the closing dialog has the focus. Call it
 * after a dialog has closed.
 */
export function focusIfLost(id: string) {
  const at = document.activeElement
  if (at === null || at === document.body || at.closest('[role=dialog]') !== null) document.getElementById(id)?.focus()
}
