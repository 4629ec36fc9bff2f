import { Anchor, Button, Text } from '@mantine/core'
import { Link } from 'react-router'

import type { Schemas } from '@/api/client'
import { IconExternal } from '@/components/icons'
import { RunLink } from '@/components/run-link'
import { dollars } from '@/lib/money'
import { webURL } from '@/lib/web-url'

import { ResultCard } from './result-card'

type Props = { ready: Schemas['DemoReady']; id: string; run: Schemas['RunRef'] }

export function CheckoutCard({ ready, id, run }: Props) {
  const url = webURL(ready.checkout_url)
  return (
    <ResultCard title="Ready to Pay" big={dollars(ready.discounted_price)}>
      <Text size="sm" c="dimmed" className="numbers">
        instead of {dollars(ready.original_price)}: {dollars(ready.savings)} saved
      </Text>
      {url !== null && (
        <Button
          component="a"
          href={url}
          target="_blank"
          rel="noopener noreferrer"
          rightSection={<IconExternal size={14} />}
        >
          Pay in test mode
        </Button>
      )}
      <Anchor component={Link} to={`/receipts/${id}`} underline="always" size="sm">
        Receipt: how this price came about
      </Anchor>
      {run.runUrl !== '' && (
        <RunLink href={run.runUrl} size="sm">
          Open run
        </RunLink>
      )}
    </ResultCard>
  )
}
