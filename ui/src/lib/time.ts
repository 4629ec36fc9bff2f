const local = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })
const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })
const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })
const clock = new Intl.DateTimeFormat('en', { timeStyle: 'medium' })

/** "Nov 20, 2026, 11:04 PM" in the reader's zone. */
export const localTime = (iso: string) => local.format(new Date(iso))

/** "2026-11-20 22:04 UTC" */
export const utcTime = (iso: string) => `${new Date(iso).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** "Dec 1" in UTC, the zone of the quota's months. */
export const utcDay = (iso: string) => day.format(new Date(iso))

/** "November 2026" from "2026-11" */
export const monthName = (yearMonth: string) => month.format(new Date(`${yearMonth}-01T00:00:00Z`))

export const clockTime = (at: number) => clock.format(at)

export const browserZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone

/** Every IANA zone that the browser supports, with UTC and the reader's zone. */
export const zones = () => [...new Set(['UTC', browserZone(), ...Intl.supportedValuesOf('timeZone')])]

// Creating a formatter takes a hundred times as long as using it, and a calendar formats hundreds of times.
const clocks = new Map<string, Intl.DateTimeFormat>()

function clockOf(zone: string) {
  const clock =
    clocks.get(zone) ?? new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })
  clocks.set(zone, clock)
  return clock
}

/** "2026-12-01T09:00", the format of datetime-local fields and of the API's local times. */
export const wallClock = (at: Date, zone: string) => clockOf(zone).format(at).replace(' ', 'T')

/** "Nov 7, 2027, 1:30 AM" in a zone. */
export const zonedTime = (iso: string, timeZone: string) =>
  new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(new Date(iso))
