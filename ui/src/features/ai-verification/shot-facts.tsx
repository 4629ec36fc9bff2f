import { Text } from '@mantine/core'

import type { VerificationShot } from '@/api/verification'
import { number, plural } from '@/lib/plural'

/** The browser's measurements of a viewport, shown beside its screenshot. */
export function ShotFacts({ shot }: { shot: VerificationShot }) {
  if (shot.picture === undefined) return null
  const facts = [
    shot.title && `“${shot.title}”`,
    shot.loadMs > 0 && `loaded in ${number(shot.loadMs)} ms`,
    plural(shot.requests, 'request'),
    `${number(Math.ceil(shot.bytes / 1_000))} kB`,
    `${shot.width} × ${shot.height} pixels`,
    shot.browser,
  ]
  return (
    <div>
      <Text size="sm" c="dimmed" className="numbers wrap-anywhere">
        {facts.filter(Boolean).join(' · ')}
      </Text>
      {shot.notes.length > 0 && <Text size="sm">{shot.notes.join(' ')}</Text>}
    </div>
  )
}
