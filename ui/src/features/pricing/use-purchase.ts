import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'

import { ApiError } from '@/api/client'
import { usePayment } from '@/api/payment'
import { pricingQuery } from '@/api/pricing'
import { sessionQuery } from '@/api/session'
import type { Leave } from '@/lib/leave-for'
import { useComeBack } from '@/lib/use-come-back'

/** The state of the purchase: nothing, a price to review, or an error. `listPrice` in cents. */
export function usePurchase(listPrice: number, go: Leave) {
  const queryClient = useQueryClient()
  const { mutate, reset, data, variables, isPending, error } = usePayment()
  const startOver = useCallback(() => {
    reset()
    void queryClient.invalidateQueries(pricingQuery)
    void queryClient.invalidateQueries(sessionQuery)
  }, [reset, queryClient])
  useComeBack(startOver)

  const buy = (fullPrice: boolean) =>
    mutate(
      { listPrice, fullPrice, source: 'pricing_page' },
      {
        onSuccess: ({ price, url }) => {
          if (price === undefined) go(url) // without a price there is nothing to review
        },
      },
    )

  const isMember = error instanceof ApiError && error.code === 'member_exists'
  const busy = isPending || data !== undefined
  return {
    buy,
    busy,
    analyzing: busy && variables?.fullPrice === false && data?.price === undefined,
    openingFullPrice: busy && variables?.fullPrice === true,
    shown: data,
    isMember,
    error: isMember ? null : error,
  }
}
