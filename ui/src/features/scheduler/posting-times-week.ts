import type { Schemas } from '@/api/client'

export type LocalTime = Schemas['LocalTime']

/** A time of day and its weekdays; 1 is Monday. `key` identifies the row. */
export type Row = { key: number; time: string; days: number[] }

const week = [1, 2, 3, 4, 5, 6, 7]
const monday = Date.UTC(2024, 0, 1)
const names = (weekday: 'short' | 'long') => {
  const format = new Intl.DateTimeFormat('en', { weekday, timeZone: 'UTC' })
  return week.map((day) => format.format(monday + (day - 1) * 86_400_000))
}
const short = names('short')
const long = names('long')

/** The weekdays, Monday first. */
export const days = week.map((day) => ({ day, short: short[day - 1] ?? '', long: long[day - 1] ?? '' }))

/** Groups weekly times by time of day. */
export function rowsOf(times: LocalTime[]): Row[] {
  const byTime = Map.groupBy(times, ({ time }) => time)
  return [...byTime]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([time, same], key) => ({ key, time, days: same.map(({ weekday }) => weekday).sort() }))
}

/** The rows in the API's form: each time once, in the order of the week. */
export function timesOf(rows: Row[]): LocalTime[] {
  const times = rows.flatMap(({ time, days: on }) => on.map((weekday) => ({ weekday, time })))
  const unique = new Map(times.filter(({ time }) => time !== '').map((it) => [`${it.weekday} ${it.time}`, it]))
  return [...unique].sort(([one], [other]) => one.localeCompare(other)).map(([, it]) => it)
}

/** The error of an incomplete row. */
export function rowTrouble({ time, days: on }: Row) {
  if (time === '') return 'Give a time, or remove this row.'
  return on.length === 0 ? 'Choose at least one day, or remove this row.' : undefined
}

export const isWhole = (rows: Row[]) => rows.every((row) => rowTrouble(row) === undefined)

/** "Mon, Wed 09:00; Sat 11:00" */
export const weekText = (times: LocalTime[]) =>
  rowsOf(times)
    .map(({ time, days: on }) => `${daysText(on)} ${time}`)
    .join('; ')

function daysText(on: number[]) {
  if (on.length === 7) return 'Every day'
  return on.map((day) => short[day - 1]).join(', ')
}

/** "09:30" as minutes since midnight. */
export const minutes = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))
