import { Box } from '@mantine/core'
import type { ReactNode } from 'react'

import classes from './values-table.module.css'

type Props = { summary: string; label: string; children: ReactNode }

/** The values of a plot as a table that opens below it. */
export function ValuesTable({ summary, label, children }: Props) {
  return (
    <details className={classes.details}>
      <summary>{summary}</summary>
      <Box role="region" className={classes.box ?? ''} aria-label={label} tabIndex={0}>
        {children}
      </Box>
    </details>
  )
}
