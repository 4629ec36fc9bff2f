import type { Schemas } from '@/api/client'

import { dollars } from './money'
import { number } from './plural'

type Clamp = Schemas['Receipt']['clamps'][number]

/** The limits of every price; the lowest price is in cents. */
export type PriceLimits = Pick<Schemas['Pricing'], 'max_discount_percent' | 'lowest_price'>

/** The limit that changed a proposal, in words. */
export function clampText(clamp: Clamp, proposed: number, limits: PriceLimits | undefined) {
  const asked = `asked for ${number(proposed)} %`
  switch (clamp) {
    case 'above_maximum':
      return limits
        ? `${asked}, at most ${limits.max_discount_percent} % is allowed`
        : `${asked}, which is more than is ever allowed`
    case 'below_zero':
      return `${asked}, and no price may be above the list price`
    case 'below_floor':
      return limits ? `no price may be below ${dollars(limits.lowest_price)}` : 'no price may be so low'
    case 'over_budget':
      return "the month's budget for discounts allows no more"
  }
}
