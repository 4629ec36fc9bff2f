import { Text } from '@mantine/core'

import type { Schemas } from '@/api/client'
import { clampText, type PriceLimits } from '@/lib/clamp-text'

import classes from './ai-pricing.module.css'

type Props = { clamps: Schemas['DemoCoupon']['clamps']; proposed: number; limits: PriceLimits | undefined }

/** The limits that changed a proposal. */
export function WhyNotMore({ clamps, proposed, limits }: Props) {
  return (
    <details className={classes.why} open={clamps.length > 0}>
      <summary>Why not more?</summary>
      {clamps.length === 0 ? (
        <Text size="sm">
          This is what was proposed: no rule of ours had to change it.
          {limits && ` More than ${limits.max_discount_percent} % is never given.`}
        </Text>
      ) : (
        <ul>
          {clamps.map((clamp) => (
            <li key={clamp}>{clampText(clamp, proposed, limits)}</li>
          ))}
        </ul>
      )}
    </details>
  )
}
