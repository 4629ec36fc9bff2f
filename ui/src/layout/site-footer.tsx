import { Container, Text } from '@mantine/core'

import classes from './layout.module.css'
import { EvidenceNav } from './site-nav'

export function SiteFooter() {
  return (
    <footer className={classes.footer}>
      <Container size="xl" className={classes.ground ?? ''}>
        <Text size="sm" c="dimmed">
          Customer Zero is a social bot you can audit. “Shareholder” means a share of the posting quota, not equity.
        </Text>
        <EvidenceNav />
      </Container>
    </footer>
  )
}
