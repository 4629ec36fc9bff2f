import { useQuery } from '@tanstack/react-query'
import { NavLink } from 'react-router'

import { botStatusQuery } from '@/api/bot-status'
import { ExternalLink } from '@/components/external-link'

import classes from './layout.module.css'

const pages = [
  { to: '/dashboard', label: 'Dashboard' },
  { to: '/scheduler', label: 'Scheduler' },
  { to: '/tweet-generator', label: 'Tweet generator' },
  { to: '/bot-posts', label: 'Bot posts' },
  { to: '/bot-operations', label: 'Bot operations' },
  { to: '/experiments', label: 'Experiments' },
  { to: '/chaos-monkey', label: 'Chaos' },
  { to: '/ai-verification', label: 'Verification' },
  { to: '/pricing', label: 'Pricing' },
]

export function SiteNav({ onNavigate }: { onNavigate?: () => void }) {
  return (
    <nav aria-label="Pages" className={classes.nav}>
      {pages.map(({ to, label }) => (
        <NavLink key={to} to={to} className={classes.page ?? ''} {...(onNavigate && { onClick: onNavigate })}>
          {label}
        </NavLink>
      ))}
    </nav>
  )
}

const evidencePages = [
  { to: '/runs', label: 'Runs' },
  { to: '/treasury', label: 'Treasury' },
  { to: '/agent-demo', label: 'Agent demo' },
  { to: '/docs', label: 'API docs' },
  { to: '/terms', label: 'Terms' },
  { to: '/privacy', label: 'Privacy' },
]

/** Links to the consoles and to pages with details. */
export function EvidenceNav() {
  const { data } = useQuery(botStatusQuery)
  return (
    <nav aria-label="Evidence" className={classes.nav}>
      {data && <ExternalLink {...evidence(data.temporalUrl)}>Temporal console</ExternalLink>}
      {data?.sandbox && <ExternalLink {...evidence(data.sandboxUrl ?? '/sandbox/x')}>Sandbox timeline</ExternalLink>}
      {evidencePages.map(({ to, label }) => (
        <NavLink key={to} to={to} className={`${classes.page} ${classes.quiet}`}>
          {label}
        </NavLink>
      ))}
    </nav>
  )
}

const evidence = (href: string) => ({ href, className: classes.evidence ?? '', size: 'sm' })
