import { Anchor } from '@mantine/core'
import { Link } from 'react-router'

export function ReceiptLink({ id }: { id: string }) {
  return (
    <Anchor component={Link} to={`/receipts/${id}`} underline="always">
      How this price came about
    </Anchor>
  )
}
