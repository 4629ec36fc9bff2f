import { type FocusEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'

import type { Post } from '@/api/posts'
import { addDays, type Day } from '@/lib/calendar'

import type { DayEntry } from './by-day'
import { turned } from './use-address'
import { useLift } from './use-lift'

type Options = {
  view: 'week' | 'month'
  rows: Day[][]
  days: Map<Day, DayEntry>
  zone: string
  on: Day
  wide: boolean
  canMove: (post: Post) => boolean
  moveTo: (post: Post, day: Day, hours: number) => boolean
  onTurn: (day: Day) => void
  onCompose: ((day: Day) => void) | undefined
}

/** Keyboard navigation of the calendar: one day is focusable at a time, and Tab reaches its cards. */
export function useBoardKeys(options: Options) {
  const { view, rows, zone, on, wide } = options
  const shown = rows.flat()
  const [chosen, choose] = useState(on)
  const focused = shown.includes(chosen) ? chosen : on
  const ref = useRef<HTMLTableElement>(null)
  const wanted = useFocusWhenThere(ref)
  const down = view === 'month' ? 7 : 1

  const lift = useLift({
    days: shown,
    zone,
    down,
    onDrop: ({ post, day, hours }) => {
      if (!options.moveTo(post, day, hours)) return
      targetOf(ref.current, day)?.focus()
      wanted.current = { day, post: post.id }
    },
  })

  const goTo = (day: Day) => {
    choose(day)
    if (shown.includes(day)) return targetOf(ref.current, day)?.focus()
    wanted.current = { day }
    options.onTurn(day)
  }

  const onKeyDown = (event: KeyboardEvent<HTMLTableElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.target instanceof HTMLElement)) return
    if (lift.onKey(event)) return event.preventDefault()
    const card = event.target.closest<HTMLElement>('[data-post]')
    const act = card ? onCard(event.key, card) : onDay(event.key, event.target.hasAttribute('data-day'))
    if (!act || event.shiftKey) return
    event.preventDefault()
    act()
  }

  const onCard = (key: string, card: HTMLElement) => {
    const post = options.days.get(focused)?.posts.find(({ id }) => id === card.dataset.post)
    if (key === ' ' && post && options.canMove(post)) return () => lift.start(post)
    if (key === 'Escape') return () => targetOf(ref.current, focused)?.focus()
    const step = { ArrowUp: -1, ArrowDown: 1 }[key]
    return step === undefined ? onDay(key, false) : () => beside(card, step)?.focus()
  }

  const onDay = (key: string, onTarget: boolean) => {
    const { onCompose } = options
    if (onCompose && (key === 'n' || key === 'N' || (key === 'Enter' && onTarget))) return () => onCompose(focused)
    if (key === 'ArrowDown' && view === 'week' && wide) return () => firstOf(targetOf(ref.current, focused))?.focus()
    const day = dayAfter(key, focused, view, down)
    return day === undefined ? undefined : () => goTo(day)
  }

  return {
    ref,
    focused,
    lift: lift.lift,
    said: lift.said,
    handlers: {
      onKeyDown,
      onFocus: ({ target }: FocusEvent) => {
        const day = target.closest<HTMLElement>('[data-day]')?.dataset.day
        if (day !== undefined) choose(day)
      },
      onBlur: ({ relatedTarget }: FocusEvent) => {
        if (!ref.current?.contains(relatedTarget as Node | null)) lift.letGo()
      },
    },
  }
}

function dayAfter(key: string, day: Day, view: 'week' | 'month', down: number): Day | undefined {
  switch (key) {
    case 'ArrowLeft':
      return addDays(day, -1)
    case 'ArrowRight':
      return addDays(day, 1)
    case 'ArrowUp':
      return addDays(day, -down)
    case 'ArrowDown':
      return addDays(day, down)
    case 'PageUp':
      return turned(view, day, -1)
    case 'PageDown':
      return turned(view, day, 1)
  }
}

type Wanted = { day: Day; post?: string } | null

/** Focuses a day or a post as soon as it is rendered. */
function useFocusWhenThere(table: { current: HTMLTableElement | null }) {
  const wanted = useRef<Wanted>(null)
  useEffect(() => {
    if (wanted.current === null) return
    const { day, post } = wanted.current
    const cell = targetOf(table.current, day)
    const found = post === undefined ? cell : cardsOf(cell).find(({ dataset }) => dataset.post === post)
    if (!found) return
    wanted.current = null
    found.focus()
  })
  return wanted
}

const targetOf = (table: HTMLElement | null, day: Day) =>
  table?.querySelector<HTMLElement>(`[data-day="${day}"]`) ?? null

const cardsOf = (cell: HTMLElement | null) => [...(cell?.querySelectorAll<HTMLElement>('button, a') ?? [])]

const firstOf = (cell: HTMLElement | null) => cardsOf(cell)[0]

function beside(card: HTMLElement, step: number) {
  const cards = cardsOf(card.closest('[data-day]'))
  return cards[cards.indexOf(card) + step]
}
