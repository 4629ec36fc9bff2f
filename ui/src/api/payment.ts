import { useMutation } from '@tanstack/react-query'

import { webURL } from '@/lib/web-url'

import { ApiError, answer, api, errorText, type Schemas } from './client'

/** `listPrice` in cents, as the page shows it; `source` is the page. */
export type Order = { listPrice: number; fullPrice: boolean; source: 'pricing_page' | 'receipt_page' }

/** A payment page, whose address has been checked. */
export type Payment = { checkoutId: string; url: string; price: Schemas['PricingDetails'] | undefined }

export const usePayment = () => useMutation({ mutationFn: startPayment })

async function startPayment({ listPrice, fullPrice, source }: Order): Promise<Payment> {
  const body = {
    service: 'founding_membership',
    amount_override: listPrice,
    user_context: { type: 'founding_member', source, timestamp: new Date().toISOString() },
    ...(fullPrice && { full_price: true }),
  }
  const call = api.POST('/api/dynamic-payment', { body })
  const started = await answer(call).catch(async (error: unknown) => {
    throw error instanceof ApiError && error.requestId === '' ? foreign((await call).response) : error
  })
  const url = webURL(started.payment_url)
  if (url === null) throw new ApiError(200, { error: 'Unknown error' })
  return { checkoutId: started.checkout_id, url, price: started.pricing_details }
}

// A server in between sent this response.
const foreign = ({ status, statusText }: Response) => new Error(`HTTP ${status}: ${statusText}`)

/** The message to show when no payment page could be created. */
export function paymentTrouble(error: Error) {
  if (error instanceof ApiError) {
    return `Payment issue: ${asClause(error.message)}. Please try again or contact support.`
  }
  const message = error.message.startsWith('HTTP ') ? error.message : asClause(errorText(error))
  return `Payment system error: ${message.trim()}. Please try again later.`
}

const asClause = (sentence: string) => sentence.replace(/\.$/, '')
