import { useQuery } from '@tanstack/react-query'

import { botStatusQuery } from '@/api/bot-status'
import { statusQuery } from '@/api/verification'

import classes from './hero.module.css'
import { type Look, monitoringWords, systemWords } from './state-words'

/** The status of the bot and the site, each with a link to its source. */
export function StateBadges() {
  return (
    <div role="status" className={classes.badges}>
      <Badge to="/bot-operations" {...systemWords(useQuery(botStatusQuery))} />
      <Badge to="/ai-verification" {...monitoringWords(useQuery(statusQuery))} />
    </div>
  )
}

function Badge({ to, look, text }: { to: string; look: Look; text: string }) {
  return (
    <a href={to} className={classes.badge} data-look={look} data-moving>
      {text}
    </a>
  )
}
