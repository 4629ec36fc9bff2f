import { Badge, Burger, Container, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'

import { botStatusQuery } from '@/api/bot-status'

import { AccountLinks } from './account-links'
import { AccountMenu } from './account-menu'
import classes from './layout.module.css'
import { SchemeToggle } from './scheme-toggle'
import { SiteNav } from './site-nav'

export function SiteHeader() {
  const [open, { toggle, close }] = useDisclosure(false)
  const menu = open ? 'Close the menu' : 'Open the menu'
  return (
    <header className={classes.header}>
      <Container size="xl" className={classes.bar}>
        <Brand />
        <div className={classes.wide}>
          <SiteNav />
          <AccountMenu />
        </div>
        <SchemeToggle />
        <Burger
          size="sm"
          className={classes.narrow ?? ''}
          opened={open}
          onClick={toggle}
          aria-expanded={open}
          aria-label={menu}
        />
      </Container>
      {open && (
        <Container size="xl" className={`${classes.drawer} ${classes.narrow}`}>
          <SiteNav onNavigate={close} />
          <AccountLinks onNavigate={close} />
        </Container>
      )}
    </header>
  )
}

function Brand() {
  const { data } = useQuery(botStatusQuery)
  return (
    <Group gap="xs" wrap="nowrap" className={classes.brand ?? ''}>
      {/* The landing page is not part of the app, so this is a page load. */}
      <a href="/" className={classes.home}>
        <img src="/favicon.svg" alt="" width={28} height={28} />
        Customer Zero
      </a>
      {data?.sandbox && (
        <Badge
          variant="outline"
          color="orange"
          className={classes.sandbox ?? ''}
          title="X is played by a built-in stand-in"
        >
          sandbox
        </Badge>
      )}
    </Group>
  )
}
