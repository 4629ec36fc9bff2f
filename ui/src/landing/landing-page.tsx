import { SkipLink } from '@/components/skip-link'
import { usePageViews } from '@/features/visits/use-page-views'

import { CustomerZero } from './customer-zero'
import { Doors } from './doors'
import { Footer } from './footer'
import { Header } from './header'
import { Hero } from './hero'
import classes from './landing.module.css'
import { LiveParts } from './live-parts'
import { Story } from './story'

export function LandingPage() {
  usePageViews('other', '/')
  return (
    <div className={classes.shell}>
      <SkipLink />
      <Header />
      <main id="main" tabIndex={-1} className={classes.main}>
        <CustomerZero />
        <Hero />
        <Story />
        <LiveParts />
        <Doors />
      </main>
      <Footer />
    </div>
  )
}
