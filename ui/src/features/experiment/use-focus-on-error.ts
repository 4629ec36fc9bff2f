import { useEffect, useRef } from 'react'

/** A ref for a form: after each refusal, its first invalid field gets the focus. */
export function useFocusOnError(error: Error | null) {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [error])
  return form
}
