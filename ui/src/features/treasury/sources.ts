import type { Schemas } from '@/api/client'
import { exactly } from '@/lib/money'
import { number, plural } from '@/lib/plural'

/** The sources of an amount, in words. */

export const chargeOf = ({ count, this_month, each_microusd }: Schemas['Charge']) =>
  `${number(count)} × ${exactly(each_microusd)}; ${number(this_month)} this month`

export function cardFees({ unknown }: Schemas['CardFees']) {
  const kept = 'what the payment service kept, also of what was sent back'
  return unknown === 0 ? kept : `${kept}; not known of ${plural(unknown, 'payment')}`
}

export function models({ calls, unpriced }: Schemas['ModelCost']) {
  const made = `from ${plural(calls, 'call')}`
  return unpriced === 0 ? made : `${made}; ${number(unpriced)} of them without a known price, not in the sum`
}
