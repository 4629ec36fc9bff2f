import { Alert, Stack, Text } from '@mantine/core'
import { useState } from 'react'

import type { VerificationShot } from '@/api/verification'
import { IconWarning } from '@/components/icons'

import { Approved } from './approved'
import { Choice } from './choice'
import { Overlay } from './overlay'
import { Picture } from './picture'
import { SideBySide } from './side-by-side'
import { viewLabel } from './words'

type Mode = 'seen' | 'sides' | 'overlay' | 'changes'
type Props = { shot: VerificationShot; path: string; compared: boolean }

const modes: { value: Mode; label: string }[] = [
  { value: 'seen', label: 'As seen' },
  { value: 'sides', label: 'Side by side' },
  { value: 'overlay', label: 'Overlay' },
  { value: 'changes', label: 'Changes' },
]

/** One viewport: its screenshot and, if there is a baseline, the comparison with it. */
export function ShotViewer({ shot, path, compared }: Props) {
  const [mode, setMode] = useState<Mode>('seen')
  if (shot.picture === undefined) return <NoPicture shot={shot} />
  const approved = shot.approved !== undefined
  return (
    <Stack gap="md">
      <Approved shot={shot} path={path} compared={compared} />
      {approved && <Choice label="Show" options={modes} value={mode} onChange={setMode} />}
      <Shown mode={approved ? mode : 'seen'} shot={shot} path={path} />
      {shot.cut && (
        <Text size="sm">
          The page goes on below: the picture was cut after {shot.height.toLocaleString('en')} pixels.
        </Text>
      )}
    </Stack>
  )
}

function Shown({ mode, shot, path }: { mode: Mode; shot: VerificationShot; path: string }) {
  if (mode === 'sides') return <SideBySide shot={shot} path={path} />
  if (mode === 'overlay') return <Overlay shot={shot} path={path} />
  if (mode === 'changes') return <Changes shot={shot} path={path} />
  return (
    <Picture src={shot.picture ?? ''} alt={`Screenshot of ${path}, ${viewLabel(shot).toLowerCase()}`} shot={shot} />
  )
}

function Changes({ shot, path }: Omit<Props, 'compared'>) {
  if (shot.diff === undefined) return <Text size="sm">There is nothing to mark: nothing changed.</Text>
  return (
    <Picture src={shot.diff} alt={`What changed of ${path}, marked, ${viewLabel(shot).toLowerCase()}`} shot={shot} />
  )
}

function NoPicture({ shot }: { shot: VerificationShot }) {
  return (
    <Alert variant="outline" color="red" icon={<IconWarning />} title="There is no picture of this view" role="note">
      <span className="wrap-anywhere">{shot.error || 'Nobody knows why.'}</span>
    </Alert>
  )
}
