import type { VerificationStatus } from '@/api/verification'
import { Moment } from '@/components/moment'
import { agoText } from '@/lib/ago'

import { useAge } from './use-age'

type Props = { status: VerificationStatus; knownSince: number }

/** The age of the last site check, updated live. */
export function Age({ status: { lastVerification, ageSeconds }, knownSince }: Props) {
  if (lastVerification === undefined || ageSeconds === undefined) return <>none yet</>
  return <Growing at={lastVerification} ageSeconds={ageSeconds} knownSince={knownSince} />
}

function Growing({ at, ageSeconds, knownSince }: { at: string; ageSeconds: number; knownSince: number }) {
  const age = useAge(ageSeconds, knownSince)
  return (
    <span data-moving>
      <Moment at={at}>{agoText(age)}</Moment>
    </span>
  )
}
