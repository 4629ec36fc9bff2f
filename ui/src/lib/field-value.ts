/** The trimmed value of a form's field. */
export function fieldValue(form: HTMLFormElement | null, name: string) {
  const field = form?.elements.namedItem(name)
  return field instanceof HTMLInputElement ? field.value.trim() : ''
}
