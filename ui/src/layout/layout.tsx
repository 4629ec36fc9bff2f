import { Container } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Outlet, ScrollRestoration } from 'react-router'

import { FounderAccessContext } from '@/components/founder-access'

import { FounderDialog } from './founder-dialog'
import classes from './layout.module.css'
import { SiteFooter } from './site-footer'
import { SiteHeader } from './site-header'
import { useFocusOnNavigation } from './use-focus-on-navigation'

export function Layout() {
  const [founderAccess, { open, close }] = useDisclosure(false)
  const main = useFocusOnNavigation()
  return (
    <FounderAccessContext value={open}>
      <div className={classes.shell}>
        <a href="#main" className={classes.skip}>
          Skip to the content
        </a>
        <SiteHeader />
        <main id="main" ref={main} tabIndex={-1} className={classes.main}>
          <Container size="xl" py="lg">
            <Outlet />
          </Container>
        </main>
        <SiteFooter />
      </div>
      <FounderDialog opened={founderAccess} onClose={close} />
      <ScrollRestoration />
    </FounderAccessContext>
  )
}
