import { Anchor, Box, Group } from '@mantine/core'
import { Link } from 'react-router'

import { PageHeader } from '@/components/page-header'
import { ChaosMonkey } from '@/features/chaos-monkey/chaos-monkey'

const ways = [
  { to: '/experiments', label: 'Experiments' },
  { to: '/dashboard', label: 'Dashboard' },
  { to: '/', label: 'Home' },
]

export function ChaosMonkeyPage() {
  return (
    <Box maw={1100}>
      <PageHeader title="Chaos monkey">
        Press a button, and a running replica of this product really breaks. A healer that was told nothing finds out
        and mends it, while you watch. Every time is measured from outside, by probes that anybody can check.
      </PageHeader>
      <ChaosMonkey />
      <Group component="nav" aria-label="Where to go on" gap="md" mt="lg">
        {ways.map(({ to, label }) => (
          <Anchor key={to} component={Link} to={to} underline="always">
            {label}
          </Anchor>
        ))}
      </Group>
    </Box>
  )
}
