import { useSearchParams } from 'react-router'

import { addDays, addMonths, type Day, dayOf, isDay } from '@/lib/calendar'

import { useZone } from './use-zone'

export const views = ['week', 'month', 'queue', 'review', 'recurring', 'times', 'import'] as const
export type View = (typeof views)[number]

/** The days that the queue lists at once: four weeks. */
export const queueDays = 28

/** The view's state in the URL, so that a link shows the same. */
export function useAddress() {
  const [params, setParams] = useSearchParams()
  const [zone, rememberZone] = useZone(params.get('tz'))
  const wanted = params.get('on') ?? ''
  const view = views.find((name) => name === params.get('view')) ?? 'week'
  const today = dayOf(new Date(), zone)

  const search = (change: Record<string, string | null>) => {
    const next = new URLSearchParams(params)
    for (const [name, value] of Object.entries(change)) value === null ? next.delete(name) : next.set(name, value)
    return next.toString()
  }
  const change = (to: Record<string, string | null>, replace = false) =>
    setParams(search(to), { replace, preventScrollReset: true })

  return {
    view,
    today,
    zone,
    on: isDay(wanted) ? wanted : today,
    postId: params.get('post'),
    search,
    goTo: (day: Day) => change({ on: day === today ? null : day }),
    openPost: (id: string | null) => change({ post: id }, id === null),
    setZone: (name: string) => {
      rememberZone(name)
      change({ tz: name }, true)
    },
  }
}

/** The first day of the previous or next period. */
export function turned(view: View, on: Day, pages: number): Day {
  if (view === 'month') return addMonths(on, pages)
  return addDays(on, pages * (view === 'queue' ? queueDays : 7))
}
