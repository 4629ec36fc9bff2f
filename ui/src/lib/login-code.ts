/** A mailed code as people type it, "123 456" or "123-456"; null when it is not six digits. */
export function readCode(typed: string) {
  const code = typed.replace(/[\s-]/g, '')
  return /^\d{6}$/.test(code) ? code : null
}
