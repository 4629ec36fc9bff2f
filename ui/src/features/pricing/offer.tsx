import { Button, Group, Loader, Stack, Text } from '@mantine/core'

import type { Schemas } from '@/api/client'
import { useSession } from '@/api/session'
import { PaymentAlert } from '@/components/payment-alert'
import type { Leave } from '@/lib/leave-for'
import { shortDollars } from '@/lib/money'

import { AlreadyMember } from './already-member'
import { PersonalNote } from './personal-note'
import { PricePanel } from './price-panel'
import { usePurchase } from './use-purchase'

export function Offer({ pricing, go }: { pricing: Schemas['Pricing']; go: Leave }) {
  const { role } = useSession()
  const purchase = usePurchase(pricing.list_price, go)
  const { buy, busy, shown } = purchase
  return (
    <Stack gap="lg">
      <Fee cents={pricing.list_price} />
      {role === 'member' || purchase.isMember ? (
        <AlreadyMember />
      ) : (
        <>
          {shown?.price === undefined && <PersonalNote pricing={pricing} />}
          <Group gap="sm">
            <BuyButton analyzing={purchase.analyzing} disabled={busy} onClick={() => buy(false)} />
            {pricing.personal && shown?.price === undefined && (
              <Button
                variant="default"
                size="md"
                h="auto"
                mih={42}
                py={8}
                styles={{ label: { whiteSpace: 'normal' } }}
                disabled={busy}
                loading={purchase.openingFullPrice}
                onClick={() => buy(true)}
              >
                Pay the full price, use nothing about me
              </Button>
            )}
          </Group>
          <PaymentAlert error={purchase.error} />
          {shown?.price && (
            <PricePanel
              payment={shown}
              price={shown.price}
              go={go}
              onFullPrice={() => buy(true)}
              key={shown.checkoutId}
            />
          )}
        </>
      )}
    </Stack>
  )
}

function Fee({ cents }: { cents: number }) {
  return (
    <div>
      <Text fz={48} fw={750} lh={1.1} className="numbers">
        {shortDollars(cents)}
        <Text span size="lg" fw={500} c="dimmed">
          {' '}
          one-time founding fee
        </Text>
      </Text>
      <Text mt={4}>No recurring charges: you pay once, and never again.</Text>
    </div>
  )
}

type BuyProps = { analyzing: boolean; disabled: boolean; onClick: () => void }

function BuyButton({ analyzing, disabled, onClick }: BuyProps) {
  return (
    <Button
      size="md"
      disabled={disabled}
      aria-busy={analyzing}
      onClick={onClick}
      {...(analyzing && { leftSection: <Loader size={16} color="gray" aria-hidden="true" /> })}
    >
      {analyzing ? 'AI Analyzing...' : 'Become a Founding Member'}
    </Button>
  )
}
