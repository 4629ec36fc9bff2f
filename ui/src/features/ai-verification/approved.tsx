import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import { baselinesQuery, type VerificationShot } from '@/api/verification'
import { Moment } from '@/components/moment'

import { percent } from './words'

type Props = { shot: VerificationShot; path: string; compared: boolean }

/** How far a view is from the look that was approved, and who approved that. */
export function Approved({ shot, path, compared }: Props) {
  if (shot.approved === undefined) {
    return (
      <Text size="sm">
        {compared
          ? `No look of ${path} is approved for this view yet, so there is nothing to compare it with.`
          : 'It is compared with the approved look in a moment.'}
      </Text>
    )
  }
  return (
    <Text size="sm">
      <strong className="numbers">{changed(shot)}</strong> since the look that {shot.approvedBy || 'a founder'} approved
      {shot.approvedAt && (
        <>
          {' '}
          on <Moment at={shot.approvedAt} />
        </>
      )}
      . <Reason shot={shot} path={path} />
    </Text>
  )
}

function changed({ changed: share }: VerificationShot) {
  return share === undefined || share === 0 ? 'Nothing changed' : `${percent(share)} changed`
}

/** Why that look was approved, which everybody may read. */
function Reason({ shot, path }: Omit<Props, 'compared'>) {
  const { data } = useQuery(baselinesQuery(path))
  const found = data?.baselines.find(
    ({ theme, viewport, picture }) => theme === shot.theme && viewport === shot.viewport && picture === shot.approved,
  )
  return found && <span className="wrap-anywhere">The reason was: “{found.reason}”</span>
}
