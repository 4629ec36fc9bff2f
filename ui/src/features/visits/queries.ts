import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback, useRef } from 'react'

import { answer, api, type Schemas } from '@/api/client'
import { pricingQuery } from '@/api/pricing'

type Page = Schemas['Visit']['page']

/**
 * Counts a page view. For users who opt out, it sends one request that makes the server forget earlier
 * views. Failures are ignored.
 */
export function useNoteVisit() {
  const queryClient = useQueryClient()
  const declined = useRef(false)
  const known = useRef(false)
  const { mutate } = useMutation({
    mutationFn: (page: Page) => answer(api.POST('/api/visits', { body: { page } })),
    onSuccess: async ({ counted, why }) => {
      if (why === 'dnt' || why === 'gpc') declined.current = true // the browser says so in its headers alone
      if (!counted || known.current) return
      known.current = true
      // The price may be personal now; a request in flight was sent before the count.
      await queryClient.cancelQueries(pricingQuery)
      await queryClient.invalidateQueries(pricingQuery)
    },
  })
  return useCallback(
    (page: Page) => {
      if (declined.current) return
      declined.current = declines()
      mutate(page)
    },
    [mutate],
  )
}

// TypeScript's types lack Global Privacy Control.
const declines = () =>
  (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl === true || navigator.doNotTrack === '1'
