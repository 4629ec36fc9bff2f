import type { ComponentProps, MouseEvent } from 'react'

type Props = ComponentProps<'button'> & { 'data-loading'?: boolean }

/**
 * The base of all buttons. A button that is `loading` or busy is not disabled, because disabling it would
 * move the keyboard focus; it ignores clicks instead.
 */
export function SteadyButton(props: Props) {
  const { type = 'button', disabled, onClick, ...rest } = props
  const busy = props['data-loading'] || props['aria-busy']
  if (!busy) return <button {...rest} type={type} disabled={disabled} onClick={onClick} />
  return <button {...rest} type={type} aria-busy="true" aria-disabled="true" onClick={ignore} />
}

// Prevents the submit that a click or Enter in a field would trigger.
function ignore(event: MouseEvent) {
  event.preventDefault()
  event.stopPropagation()
}
