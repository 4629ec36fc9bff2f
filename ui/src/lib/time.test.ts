import { expect, test } from 'vitest'

import { monthName, utcDay, utcTime, wallClock, zones } from './time'

test('UTC is written so that it sorts', () => {
  expect(utcTime('2026-12-01T09:00:30.123456789Z')).toBe('2026-12-01 09:00 UTC')
})

test('the end of a month is a day in UTC, wherever the reader is', () => {
  expect(utcDay('2026-12-01T00:00:00Z')).toBe('Dec 1')
  expect(monthName('2026-11')).toBe('November 2026')
})

test('a wall clock shows the time of its zone', () => {
  expect(wallClock(new Date('2026-12-01T23:30:00Z'), 'Europe/Berlin')).toBe('2026-12-02T00:30')
})

test('every zone is offered once', () => {
  expect(new Set(zones()).size).toBe(zones().length)
  expect(zones()).toContain('Europe/Lisbon')
})
