import { useQuery } from '@tanstack/react-query'

import { botStatusQuery } from '@/api/bot-status'
import { signInPath, useSession } from '@/api/session'
import { IconPerson } from '@/components/icons'

import classes from './header.module.css'
import page from './landing.module.css'
import { SchemeToggle } from './scheme-toggle'

const pages = [
  { to: '/dashboard', label: 'Dashboard' },
  { to: '/experiments', label: 'Experiments' },
  { to: '/pricing', label: 'Pricing' },
]

export function Header() {
  return (
    <header className={classes.header}>
      <div className={`${page.ground} ${classes.bar}`}>
        <Brand />
        <nav aria-label="Pages" className={classes.nav}>
          {pages.map(({ to, label }) => (
            <a key={to} href={to}>
              {label}
            </a>
          ))}
        </nav>
        <Account />
        <SchemeToggle />
      </div>
    </header>
  )
}

function Brand() {
  const { data } = useQuery(botStatusQuery)
  return (
    <div className={classes.brand}>
      <a href="/" aria-current="page">
        <img src="/favicon.svg" alt="" width={28} height={28} />
        Customer Zero
      </a>
      {data?.sandbox && (
        <span className={classes.sandbox} title="X is played by a built-in stand-in">
          sandbox
        </span>
      )}
    </div>
  )
}

/** A sign-in link, or a link for logged-in users. Both have the same width, which avoids a layout shift. */
function Account() {
  const { session } = useSession()
  const [to, label] = session?.isAuthenticated ? ['/account', 'Account'] : [signInPath('/dashboard'), 'Log in']
  return (
    <a href={to} className={classes.account}>
      <IconPerson size={15} />
      {label}
    </a>
  )
}
