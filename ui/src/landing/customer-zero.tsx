import classes from './customer-zero.module.css'
import page from './landing.module.css'
import { usePreview } from './use-preview'

/** A decorative preview; the server stores nothing about it. */
export function CustomerZero() {
  if (!usePreview()) return null
  return (
    <section aria-label="Customer zero" className={`${page.ground} ${classes.preview}`}>
      <p>
        <strong>You are customer zero.</strong> A preview: nobody is logged in, and nothing was paid.
      </p>
      <ul>
        <li>$9 invested</li>
        <li>100 credits</li>
      </ul>
      <a href="/dashboard">Go to the dashboard</a>
    </section>
  )
}
