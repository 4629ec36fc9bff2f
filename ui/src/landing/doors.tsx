import { IconForward } from '@/components/icons'
import classes from './doors.module.css'
import page from './landing.module.css'

const doors = [
  {
    to: '/chaos-monkey',
    title: 'Chaos engineering',
    text: 'Six ways to break a running copy, every probe of it, and how long each repair took.',
  },
  {
    to: '/ai-verification',
    title: 'AI verification',
    text: 'A real browser looks at this site, checks it and keeps the pictures. A model may only lower the verdict.',
  },
  {
    to: '/pricing',
    title: 'Founding membership',
    text: '$9 once, no recurring charges. You get credits, a share of the 500 posts a month, and a vote.',
  },
]

/** Links to the next steps. */
export function Doors() {
  return (
    <section className={page.ground} aria-labelledby="doors">
      <h2 id="doors" className={page.heading}>
        Look closer
      </h2>
      <ul className={classes.doors}>
        {doors.map(({ to, title, text }) => (
          <li key={to}>
            <a href={to}>
              <h3>
                {title} <IconForward size={18} />
              </h3>
              <p>{text}</p>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}
