/** The line above the list. */
export const countId = 'experiments-found'

/** Used when the card that had the focus is gone. */
export const focusList = () => document.getElementById(countId)?.focus()
