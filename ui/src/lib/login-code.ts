/** An emailed code as typed, "123 456" or "123-456"; null if it is not six digits. */
export function readCode(typed: string) {
  const code = typed.replace(/[\s-]/g, '')
  return /^\d{6}$/.test(code) ? code : null
}
