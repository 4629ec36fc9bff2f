const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })

export const count = (value: number) => numbers.format(value)

/** "42 posts", "1 post", "98.5%", "12.3 s" */
export function amount(value: number, unit: string) {
  const written = count(value)
  if (unit === '%') return `${written}%`
  return `${written} ${value === 1 ? unit.replace(/(?<=\w)s$/, '') : unit}`
}
