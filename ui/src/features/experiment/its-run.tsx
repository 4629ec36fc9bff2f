import type { ReactNode } from 'react'

import { RunLink } from '@/components/run-link'

import type { Detail } from './words'

/** A link to the experiment's run, if it has one. */
export function ItsRun({ of: { runUrl }, children }: { of: Pick<Detail, 'runUrl'>; children: ReactNode }) {
  if (runUrl === '') return null
  return (
    <RunLink href={runUrl} size="sm" underline="always">
      {children}
    </RunLink>
  )
}
