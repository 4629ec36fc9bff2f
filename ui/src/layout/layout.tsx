import { Container } from '@mantine/core'
import { Outlet, ScrollRestoration } from 'react-router'

import { LoginBanner } from '@/components/login-banner'
import { SkipLink } from '@/components/skip-link'
import { useVisits } from '@/features/visits/use-visits'

import classes from './layout.module.css'
import { SiteFooter } from './site-footer'
import { SiteHeader } from './site-header'
import { useFocusOnNavigation } from './use-focus-on-navigation'

export function Layout() {
  const main = useFocusOnNavigation()
  useVisits()
  return (
    <div className={classes.shell}>
      <SkipLink />
      <SiteHeader />
      <main id="main" ref={main} tabIndex={-1} className={classes.main}>
        <Container size="xl" py="lg">
          <LoginBanner />
          <Outlet />
        </Container>
      </main>
      <SiteFooter />
      <ScrollRestoration />
    </div>
  )
}
