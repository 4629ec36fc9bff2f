import { wallClock } from './time'

/** A day as a calendar names it, "2026-11-22", wherever that calendar hangs. */
export type Day = string

const dayMs = 24 * 60 * 60 * 1000
const asDay = (ms: number): Day => new Date(ms).toISOString().slice(0, 10)
const midnight = (day: Day) => Date.parse(`${day}T00:00:00Z`)

/** Says whether it is a day that there is: of the 30th of February it is not. */
export const isDay = (text: string): text is Day =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(midnight(text)) && asDay(midnight(text)) === text

/** The day that a clock in the zone shows at this instant. */
export const dayOf = (at: string | Date, zone: string): Day => wallClock(new Date(at), zone).slice(0, 10)

/** "09:00": what a clock in the zone shows at this instant. */
export const hourOf = (at: string | Date, zone: string) => wallClock(new Date(at), zone).slice(11)

// Days are counted in UTC, which has no day of 23 or 25 hours.
export const addDays = (day: Day, days: number): Day => asDay(midnight(day) + days * dayMs)

/** The same day of another month, or that month's last. */
export function addMonths(day: Day, months: number): Day {
  const first = new Date(`${day.slice(0, 7)}-01T00:00:00Z`)
  first.setUTCMonth(first.getUTCMonth() + months)
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  return addDays(asDay(first.getTime()), Math.min(Number(day.slice(8)), last) - 1)
}

/** The seven days of its week, which begins on Monday. */
export function weekOf(day: Day): Day[] {
  const sinceMonday = (new Date(midnight(day)).getUTCDay() + 6) % 7
  return Array.from({ length: 7 }, (_, i) => addDays(day, i - sinceMonday))
}

/** The six weeks that a month is drawn in, its neighbours' days included; always six, so that nothing jumps. */
export function monthOf(day: Day): Day[][] {
  const first = `${day.slice(0, 7)}-01`
  return Array.from({ length: 6 }, (_, i) => weekOf(addDays(first, i * 7)))
}

/** The instants at which a clock in the zone shows this: two where clocks go back, none where they go forward. */
export function instantsOf(wall: string, zone: string): Date[] {
  const shown = (at: Date) => wallClock(at, zone) === wall
  return [...new Set(guesses(wall, zone))]
    .sort((a, b) => a - b)
    .map((ms) => new Date(ms))
    .filter(shown)
}

/** The first instant at which a clock shows this, or where it jumps over it, as if it had not yet jumped. */
export function instantOf(wall: string, zone: string): Date {
  return instantsOf(wall, zone)[0] ?? new Date(Math.max(...guesses(wall, zone)))
}

// Read with the offsets of the day before and the day after: clocks change less often than that.
function guesses(wall: string, zone: string) {
  const asUTC = Date.parse(`${wall}:00Z`)
  return [-dayMs, dayMs].map((by) => {
    const near = new Date(asUTC + by)
    return asUTC - (Date.parse(`${wallClock(near, zone)}:00Z`) - near.getTime())
  })
}

/** From the first instant of the first day to the first after the last one, as RFC 3339. */
export const stretch = (first: Day, last: Day, zone: string) => ({
  from: instantOf(`${first}T00:00`, zone).toISOString(),
  to: instantOf(`${addDays(last, 1)}T00:00`, zone).toISOString(),
})

/** The same time by the clock on another day, as the server's local times look; hours move the clock's hand. */
export function movedWall(at: string, day: Day, zone: string, hours = 0) {
  const wall = Date.parse(`${day}T${hourOf(at, zone)}:00Z`) + hours * 60 * 60 * 1000
  return new Date(wall).toISOString().slice(0, 16)
}

const format = (options: Intl.DateTimeFormatOptions) => {
  const written = new Intl.DateTimeFormat('en', { ...options, timeZone: 'UTC' })
  return (day: Day) => written.format(midnight(day))
}

/** "Sunday, November 22, 2026" */
export const longDay = format({ dateStyle: 'full' })

/** "Sun, Nov 22" */
export const shortDay = format({ weekday: 'short', month: 'short', day: 'numeric' })

/** "Sun" */
export const weekday = format({ weekday: 'short' })

/** "November 2026" */
export const monthTitle = format({ month: 'long', year: 'numeric' })
