import { Stack } from '@mantine/core'
import { useState } from 'react'

import { isOpen, type Verification } from '@/api/verification'
import { Section } from '@/components/section'

import { ApproveBaseline } from './approve-baseline'
import { Choice } from './choice'
import { ShotFacts } from './shot-facts'
import { ShotViewer } from './shot-viewer'
import { viewKey, viewLabel, views } from './words'

/** The screenshots of every viewport. */
export function Pictures({ run }: { run: Verification }) {
  const [wanted, setWanted] = useState('')
  const shots = views.flatMap((view) => run.shots.filter((shot) => viewKey(shot) === viewKey(view)))
  const shot = shots.find((seen) => viewKey(seen) === wanted) ?? shots[0]
  if (shot === undefined) return null
  return (
    <Section title="Screenshots">
      <Stack gap="md">
        <Choice
          label="View"
          options={shots.map((seen) => ({ value: viewKey(seen), label: viewLabel(seen) }))}
          value={viewKey(shot)}
          onChange={setWanted}
        />
        <ShotViewer shot={shot} path={run.path} compared={!isOpen(run)} />
        <ShotFacts shot={shot} />
        {!isOpen(run) && <ApproveBaseline run={run} />}
      </Stack>
    </Section>
  )
}
