import type { ComponentProps, MouseEvent } from 'react'

type Props = ComponentProps<'button'> & { 'data-loading'?: boolean }

/**
 * What the library's buttons are made of. One that waits for what it began, because it is `loading`
 * or said to be busy, is not disabled: that would lose the focus, and whoever works by keyboard
 * their place. It takes no click meanwhile.
 */
export function SteadyButton(props: Props) {
  const { type = 'button', disabled, onClick, ...rest } = props
  const busy = props['data-loading'] || props['aria-busy']
  if (!busy) return <button {...rest} type={type} disabled={disabled} onClick={onClick} />
  return <button {...rest} type={type} aria-busy="true" aria-disabled="true" onClick={ignore} />
}

// A click sends the form, and so does Enter in one of its fields.
function ignore(event: MouseEvent) {
  event.preventDefault()
  event.stopPropagation()
}
