/** What stands in a field of a form, without the blanks around it. */
export function fieldValue(form: HTMLFormElement | null, name: string) {
  const field = form?.elements.namedItem(name)
  return field instanceof HTMLInputElement ? field.value.trim() : ''
}
