import { HttpResponse, http } from 'msw'

import type { Schemas } from '@/api/client'

import { checkoutId } from './pricing'
import { server } from './server'

/** Serves these receipts one per read, then repeats the last; returns the recorded commands. */
export function serveReceipts(...receipts: Schemas['Receipt'][]) {
  const told: string[] = []
  const left = [...receipts]
  server.use(
    http.get(`*/api/receipts/${checkoutId}`, () => HttpResponse.json(left.length > 1 ? left.shift() : left[0])),
    http.post('*/api/checkouts/:id/:what', ({ params }) => {
      told.push(`${params.what} ${params.id}`)
      return HttpResponse.json({ success: true }, { status: 202 })
    }),
  )
  return told
}
