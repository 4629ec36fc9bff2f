import { useRef } from 'react'

import { Boundary } from './boundary'
import { Report } from './broken'
import page from './landing.module.css'
import classes from './live-parts.module.css'
import { Part } from './part'
import { useNear } from './use-near'
import { useWidgets } from './use-widgets'

const parts = [
  { of: 'chaos', title: 'Chaos engineering' },
  { of: 'verification', title: 'AI verification' },
  { of: 'experiments', title: 'Live experiments' },
] as const

/** The live parts, loaded when the visitor scrolls near them. */
export function LiveParts() {
  const area = useRef<HTMLElement>(null)
  const near = useNear(area)
  const widgets = useWidgets(near)
  return (
    <section id="live" ref={area} className={page.ground} aria-labelledby="live-title">
      <h2 id="live-title" className={page.heading}>
        Live, right now
      </h2>
      <noscript>
        <p>
          These parts need JavaScript. Without it you can read the feeds: <a href="/feeds/chaos.xml">chaos</a>,{' '}
          <a href="/feeds/posts.xml">posts</a> and <a href="/feeds/experiments.xml">experiments</a>.
        </p>
      </noscript>
      {widgets.state === 'failed' && <Missing />}
      <div className={classes.parts}>
        {widgets.state === 'here' ? (
          <Boundary fallback={(error) => <BrokenParts error={error} />}>
            <widgets.Widgets />
          </Boundary>
        ) : (
          parts.map(({ of, title }) => (
            <Part key={of} of={of}>
              <Placeholder title={title} busy={near && widgets.state === 'waiting'} />
            </Part>
          ))
        )}
      </div>
    </section>
  )
}

function Placeholder({ title, busy }: { title: string; busy: boolean }) {
  return (
    <div className={classes.placeholder} {...(busy && { 'aria-busy': true })}>
      <p>{title}</p>
      <span />
      <span />
      <span />
    </div>
  )
}

function Missing() {
  return (
    <p role="alert">
      These parts could not be loaded. <a href="/">Load the page again</a>, or go to{' '}
      <a href="/chaos-monkey">the chaos page</a>.
    </p>
  )
}

function BrokenParts({ error }: { error: unknown }) {
  return (
    <div className={classes.placeholder} role="alert">
      <p>Something went wrong here.</p>
      <Report error={error} />
    </div>
  )
}
