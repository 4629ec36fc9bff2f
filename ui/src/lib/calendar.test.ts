import { describe, expect, test } from 'vitest'

import {
  addDays,
  addMonths,
  dayOf,
  hourOf,
  instantOf,
  instantsOf,
  isDay,
  monthOf,
  movedWall,
  stretch,
  weekOf,
} from './calendar'

const berlin = 'Europe/Berlin'
const iso = (dates: Date[]) => dates.map((date) => date.toISOString())

describe('days', () => {
  test('an instant is another day elsewhere', () => {
    expect(dayOf('2026-11-22T23:30:00Z', 'UTC')).toBe('2026-11-22')
    expect(dayOf('2026-11-22T23:30:00Z', berlin)).toBe('2026-11-23')
    expect(dayOf('2026-11-22T03:30:00Z', 'America/New_York')).toBe('2026-11-21')
    expect(hourOf('2026-11-22T23:30:00Z', berlin)).toBe('00:30')
  })

  test('only days that there are count as days', () => {
    expect(isDay('2026-11-22')).toBe(true)
    for (const no of ['2026-02-30', '2026-13-01', '2026-11-2', 'today', '']) expect(isDay(no)).toBe(false)
  })

  test('days follow each other over months and over changes of the clocks', () => {
    expect(addDays('2026-10-24', 1)).toBe('2026-10-25')
    expect(addDays('2026-10-25', 1)).toBe('2026-10-26')
    expect(addDays('2026-03-01', -1)).toBe('2026-02-28')
  })

  test('a month further on is the same day, or the last there is', () => {
    expect(addMonths('2026-11-22', 1)).toBe('2026-12-22')
    expect(addMonths('2026-01-31', 1)).toBe('2026-02-28')
    expect(addMonths('2026-01-15', -1)).toBe('2025-12-15')
  })
})

describe('weeks', () => {
  test('a week begins on Monday, for its Sunday too', () => {
    const week = weekOf('2026-11-22')
    expect([week[0], week[6]]).toEqual(['2026-11-16', '2026-11-22'])
    expect(weekOf('2026-11-16')).toEqual(week)
  })

  test('a month is six weeks and holds all of its days', () => {
    for (const day of ['2026-02-14', '2026-11-22', '2027-01-31']) {
      const days = monthOf(day).flat()
      expect(days).toHaveLength(42)
      expect(new Set(days).size).toBe(42)
      expect(days.filter((d) => d.startsWith(day.slice(0, 7)))).toContain(`${day.slice(0, 7)}-28`)
      expect(days.slice(0, 7)).toContain(`${day.slice(0, 7)}-01`)
    }
  })
})

describe('what a clock on the wall shows', () => {
  test('is one instant on most days', () => {
    expect(iso(instantsOf('2026-11-22T09:00', berlin))).toEqual(['2026-11-22T08:00:00.000Z'])
    expect(iso(instantsOf('2026-07-01T09:00', berlin))).toEqual(['2026-07-01T07:00:00.000Z'])
  })

  test('is two where the clocks go back', () => {
    expect(iso(instantsOf('2026-10-25T02:30', berlin))).toEqual([
      '2026-10-25T00:30:00.000Z',
      '2026-10-25T01:30:00.000Z',
    ])
    expect(iso(instantsOf('2027-11-07T01:30', 'America/New_York'))).toHaveLength(2)
  })

  test('is none where they go forward, and then counts as if they had not', () => {
    expect(instantsOf('2027-03-28T02:30', berlin)).toEqual([])
    expect(instantOf('2027-03-28T02:30', berlin).toISOString()).toBe('2027-03-28T01:30:00.000Z')
  })

  test('is right where clocks move by half an hour, and beyond the date line', () => {
    expect(iso(instantsOf('2026-04-05T01:45', 'Australia/Lord_Howe'))).toHaveLength(2)
    expect(instantsOf('2026-10-04T02:15', 'Australia/Lord_Howe')).toEqual([])
    expect(iso(instantsOf('2026-11-22T09:00', 'Pacific/Kiritimati'))).toEqual(['2026-11-21T19:00:00.000Z'])
  })
})

test('a day in which the clocks change is an hour shorter or longer', () => {
  const hours = (day: string, zone: string) => {
    const { from, to } = stretch(day, day, zone)
    return (Date.parse(to) - Date.parse(from)) / 3_600_000
  }
  expect(hours('2026-11-22', berlin)).toBe(24)
  expect(hours('2026-10-25', berlin)).toBe(25)
  expect(hours('2027-03-28', berlin)).toBe(23)
  expect(hours('2026-09-06', 'America/Santiago')).toBe(23) // whose midnight is skipped
})

test('a move keeps the time by the clock, also over a change of the clocks', () => {
  const at = '2026-10-24T07:00:00Z' // 09:00 in Berlin, in summer time
  expect(movedWall(at, '2026-10-26', berlin)).toBe('2026-10-26T09:00')
  expect(instantOf('2026-10-26T09:00', berlin).toISOString()).toBe('2026-10-26T08:00:00.000Z')
  expect(movedWall(at, '2026-10-26', berlin, -10)).toBe('2026-10-25T23:00')
})
