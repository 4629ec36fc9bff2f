import type { Schemas } from '@/api/client'

/** A sample visitor: the five facts that a price may depend on. */
export type Visitor = Schemas['UserData']

/** The visitor that is selected at first. */
export const firstVisitor = visitor(3, 120, true, false, 'returning_visitor')

export const scenarios: { name: string; visitor: Visitor }[] = [
  { name: 'Low Engagement', visitor: visitor(1, 30, false, false, 'new_visitor') },
  { name: 'Interested Browser', visitor: firstVisitor },
  { name: 'Cart Abandoner', visitor: visitor(5, 180, true, true, 'returning_visitor') },
  { name: 'Power User', visitor: visitor(10, 300, true, false, 'power_user') },
]

function visitor(
  visits: number,
  time_on_site: number,
  viewed_pricing: boolean,
  added_to_cart: boolean,
  user_type: Visitor['user_type'],
): Visitor {
  return { visits, time_on_site, viewed_pricing, added_to_cart, user_type }
}

export const isSame = (a: Visitor, b: Visitor) => JSON.stringify(a) === JSON.stringify(b)
