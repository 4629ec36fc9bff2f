import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import { baselinesQuery, type VerificationShot } from '@/api/verification'
import { Moment } from '@/components/moment'

import { percent } from './words'

type Props = { shot: VerificationShot; path: string; compared: boolean }

/** The difference between a viewport and its baseline, and who approved the baseline. */
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

/** The reason given for the baseline. It is public. */
function Reason({ shot, path }: Omit<Props, 'compared'>) {
  const { data } = useQuery(baselinesQuery(path))
  const found = data?.baselines.find(
    ({ theme, viewport, picture }) => theme === shot.theme && viewport === shot.viewport && picture === shot.approved,
  )
  return found && <span className="wrap-anywhere">The reason was: “{found.reason}”</span>
}
