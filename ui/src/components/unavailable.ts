/** Props for a button that is temporarily unavailable. A `disabled` button would lose the keyboard focus. */
export const unavailable = (no: boolean) => no && { 'aria-disabled': true, 'data-disabled': true }
