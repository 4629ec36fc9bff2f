/**
 * Gives what has the ID the focus, unless something else has it that stays. To be called once a
 * dialog has closed, for what has the focus in there is about to go.
 */
export function focusIfLost(id: string) {
  const at = document.activeElement
  if (at === null || at === document.body || at.closest('[role=dialog]') !== null) document.getElementById(id)?.focus()
}
