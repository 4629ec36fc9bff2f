import { useQuery } from '@tanstack/react-query'

import type { Schemas } from '@/api/client'

import { Ended } from './ended'
import { Found } from './found'
import { Paid } from './paid'
import { lookQuery, receiptQuery } from './queries'
import { isLive } from './state'
import { Waiting } from './waiting'

// A payment is usually confirmed within two seconds; after that, polling slows down.
const soon = (reads: number) => (reads <= 10 ? 1_000 : reads <= 20 ? 2_000 : 5_000)

/** The result of a payment as stored by the server; the URL is not trusted. */
export function PaymentOutcome({ id }: { id: string }) {
  const receipt = useQuery(receiptQuery(id, soon))
  useQuery(lookQuery(receipt.data))
  return <Found query={receipt}>{(found) => <Outcome receipt={found} />}</Found>
}

function Outcome({ receipt }: { receipt: Schemas['Receipt'] }) {
  if (isLive(receipt.state)) return <Waiting receipt={receipt} />
  return receipt.state === 'paid' ? <Paid receipt={receipt} /> : <Ended receipt={receipt} />
}
