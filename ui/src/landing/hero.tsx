import classes from './hero.module.css'
import page from './landing.module.css'
import { Pulse } from './pulse'
import { StateBadges } from './state-badges'

const facts = [
  { name: '$9', value: 'once, and never again' },
  { name: '500 posts', value: 'a month, shared by the members' },
  { name: 'Every run', value: 'can be opened by anybody' },
]

export function Hero() {
  return (
    <section className={`${page.ground} ${classes.hero}`} aria-labelledby="claim">
      <div>
        <StateBadges />
        <h1 id="claim">
          <span>Break it.</span> <span>Watch it heal itself.</span>
        </h1>
        <p className={classes.lead}>
          Customer Zero is a social bot you can audit. Members pay $9 once and share its 500 posts a month. Every post,
          every price and every repair is a durable run that anyone can open.
        </p>
        <div className={page.actions}>
          <a href="#live" className={page.filled}>
            Break it
          </a>
          <a href="/pricing" className={page.outlined}>
            Become a founding member
          </a>
          <a href="/dashboard" className={page.quiet}>
            Dashboard
          </a>
        </div>
      </div>
      <Pulse />
      <ul className={classes.facts}>
        {facts.map(({ name, value }) => (
          <li key={name}>
            <strong>{name}</strong> {value}
          </li>
        ))}
      </ul>
    </section>
  )
}
