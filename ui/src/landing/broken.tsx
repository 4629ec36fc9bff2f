import { useQuery } from '@tanstack/react-query'

import { clientErrorQuery } from '@/layout/client-error'

import classes from './landing.module.css'

/** The app's error screen without its components. */
export function Broken({ error }: { error: unknown }) {
  return (
    <main className={classes.broken}>
      <title>Something went wrong · Customer Zero</title>
      <h1>Something went wrong</h1>
      <Report error={error} />
      <div className={classes.actions}>
        <button type="button" className={classes.filled} onClick={() => location.reload()}>
          Try again
        </button>
        <a href="/dashboard" className={classes.outlined}>
          Dashboard
        </a>
      </div>
    </main>
  )
}

// States that we know of the error only after the report was accepted.
export function Report({ error }: { error: unknown }) {
  const report = useQuery(clientErrorQuery(error, '/'))
  return (
    <p role="status" className={classes.dimmed}>
      {report.isPending && 'Reporting what happened…'}
      {report.isError && 'The report could not be sent, so nobody has been told yet.'}
      {report.isSuccess && (
        <>
          We've been notified. Reference: <code>{report.data.reference}</code>
        </>
      )}
    </p>
  )
}
