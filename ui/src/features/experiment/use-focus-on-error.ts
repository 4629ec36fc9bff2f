import { useEffect, useRef } from 'react'

/** A ref for a form whose first refused field gets the focus with each refusal. */
export function useFocusOnError(error: Error | null) {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [error])
  return form
}
