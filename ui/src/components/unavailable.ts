/** For a button that cannot do its work now. One that were really disabled would lose the focus once it has done it. */
export const unavailable = (no: boolean) => no && { 'aria-disabled': true, 'data-disabled': true }
