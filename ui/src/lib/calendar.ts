import { wallClock } from './time'

/** A date like "2026-11-22", without a zone. */
export type Day = string

const dayMs = 24 * 60 * 60 * 1000
const asDay = (ms: number): Day => new Date(ms).toISOString().slice(0, 10)
const midnight = (day: Day) => Date.parse(`${day}T00:00:00Z`)

/** Whether the date exists; February 30 does not. */
export const isDay = (text: string): text is Day =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(midnight(text)) && asDay(midnight(text)) === text

/** The date in the zone at this instant. */
export const dayOf = (at: string | Date, zone: string): Day => wallClock(new Date(at), zone).slice(0, 10)

/** "09:00", the local time in the zone at this instant. */
export const hourOf = (at: string | Date, zone: string) => wallClock(new Date(at), zone).slice(11)

// Adds days in UTC, where every day has 24 hours.
export const addDays = (day: Day, days: number): Day => asDay(midnight(day) + days * dayMs)

/** The same day of another month, or that month's last day. */
export function addMonths(day: Day, months: number): Day {
  const first = new Date(`${day.slice(0, 7)}-01T00:00:00Z`)
  first.setUTCMonth(first.getUTCMonth() + months)
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  return addDays(asDay(first.getTime()), Math.min(Number(day.slice(8)), last) - 1)
}

/** The seven days of its week, starting on Monday. */
export function weekOf(day: Day): Day[] {
  const sinceMonday = (new Date(midnight(day)).getUTCDay() + 6) % 7
  return Array.from({ length: 7 }, (_, i) => addDays(day, i - sinceMonday))
}

/**
 * The six weeks in which a month is shown, with days of neighboring months. Always six, so that the height
 * does not change.
 */
export function monthOf(day: Day): Day[][] {
  const first = `${day.slice(0, 7)}-01`
  return Array.from({ length: 6 }, (_, i) => weekOf(addDays(first, i * 7)))
}

/** The instants of a local time in the zone: two when clocks go back, none when they go forward. */
export function instantsOf(wall: string, zone: string): Date[] {
  const shown = (at: Date) => wallClock(at, zone) === wall
  return [...new Set(guesses(wall, zone))]
    .sort((a, b) => a - b)
    .map((ms) => new Date(ms))
    .filter(shown)
}

/** The first instant of a local time; for a skipped time, the instant by the offset before the change. */
export function instantOf(wall: string, zone: string): Date {
  return instantsOf(wall, zone)[0] ?? new Date(Math.max(...guesses(wall, zone)))
}

// Uses the offsets of the day before and after, because clocks change at most once between them.
function guesses(wall: string, zone: string) {
  const asUTC = Date.parse(`${wall}:00Z`)
  return [-dayMs, dayMs].map((by) => {
    const near = new Date(asUTC + by)
    return asUTC - (Date.parse(`${wallClock(near, zone)}:00Z`) - near.getTime())
  })
}

/** From the first instant of the first day to the first instant after the last day, in RFC 3339. */
export const stretch = (first: Day, last: Day, zone: string) => ({
  from: instantOf(`${first}T00:00`, zone).toISOString(),
  to: instantOf(`${addDays(last, 1)}T00:00`, zone).toISOString(),
})

/** The local time of an instant, moved to another day and by `hours`, in the API's form. */
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
