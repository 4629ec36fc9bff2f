import { useQuery } from '@tanstack/react-query'

import { botStatusQuery } from '@/api/bot-status'
import classes from './footer.module.css'
import page from './landing.module.css'

type Target = { to: string; label: string }

const pages: Target[] = [
  { to: '/dashboard', label: 'Dashboard' },
  { to: '/bot-posts', label: 'Bot posts' },
  { to: '/experiments', label: 'Experiments' },
  { to: '/agent-demo', label: 'Agent demo' },
]
const feeds: Target[] = [
  { to: '/feeds/posts.xml', label: 'Posts' },
  { to: '/feeds/experiments.xml', label: 'Experiments' },
  { to: '/feeds/chaos.xml', label: 'Chaos' },
]
const evidence: Target[] = [
  { to: '/runs', label: 'Runs' },
  { to: '/treasury', label: 'Treasury' },
  { to: '/docs', label: 'API docs' },
]
const law: Target[] = [
  { to: '/terms', label: 'Terms' },
  { to: '/privacy', label: 'Privacy' },
]

export function Footer() {
  const { data } = useQuery(botStatusQuery)
  const live = [
    ...(data ? [{ to: data.temporalUrl, label: 'Temporal console' }] : []),
    ...(data?.sandbox ? [{ to: data.sandboxUrl ?? '/sandbox/x', label: 'Sandbox timeline' }] : []),
  ]
  return (
    <footer className={classes.footer}>
      <div className={`${page.ground} ${classes.ends}`}>
        <p className={classes.said}>
          Customer Zero is a social bot you can audit. “Shareholder” means a share of the posting quota, not equity.
        </p>
        <Links title="More" targets={pages} />
        <Links title="Evidence" targets={[...evidence, ...live]} />
        <Links title="RSS feeds" targets={feeds} />
        <Links title="Small print" targets={law} />
      </div>
    </footer>
  )
}

function Links({ title, targets }: { title: string; targets: Target[] }) {
  return (
    <nav aria-label={title}>
      <p aria-hidden="true">{title}</p>
      <ul>
        {targets.map(({ to, label }) => (
          <li key={to}>
            <a href={to}>{label}</a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
