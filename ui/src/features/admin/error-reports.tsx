import { Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'

import type { Schemas } from '@/api/client'
import { Loaded } from '@/components/loaded'
import { Moment } from '@/components/moment'

import classes from './admin.module.css'
import { PanelPart } from './panel-part'
import { reportsQuery } from './queries'

/** Errors reported by pages. The reference shown to users finds the report. */
export function ErrorReports() {
  const [typed, type] = useState('')
  const query = useQuery(reportsQuery(useDeferredValue(typed.trim())))
  return (
    <PanelPart title="Reports of broken pages">
      <TextInput
        label="Reference"
        description="As the error screen shows it. Empty: the newest."
        maxLength={40}
        mb="sm"
        maw={360}
        value={typed}
        onChange={(event) => type(event.currentTarget.value)}
      />
      <Loaded query={query} what="the reports" loading={<Text size="sm">Loading…</Text>}>
        {({ reports }) => <Rows reports={reports} one={typed.trim() !== ''} />}
      </Loaded>
    </PanelPart>
  )
}

function Rows({ reports, one }: { reports: Schemas['ClientErrorReport'][]; one: boolean }) {
  if (reports.length === 0) return <Text size="sm">{one ? 'No report has this reference.' : 'Nothing broke yet.'}</Text>
  return (
    <ul className={classes.rows}>
      {reports.map(({ reference, at, path, message, stack }) => (
        <li key={reference} className={classes.entry}>
          <Text size="sm" c="dimmed" className="wrap-anywhere">
            <Moment at={at} /> · {path} · {reference}
          </Text>
          <Text size="sm" className="wrap-anywhere">
            {message}
          </Text>
          {stack !== '' && (
            <details>
              <summary>Where it broke</summary>
              <pre className={classes.stack}>{stack}</pre>
            </details>
          )}
        </li>
      ))}
    </ul>
  )
}
