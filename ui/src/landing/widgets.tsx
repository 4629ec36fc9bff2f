import '@/mantine'

import { MantineProvider } from '@mantine/core'

import { LandingChaos } from '@/features/chaos-monkey/landing-chaos'
import { LandingExperiments } from '@/features/experiments/landing-experiments'
import { LandingVerification } from '@/features/verification-status/landing-verification'
import { styleNonce } from '@/lib/style-nonce'
import { cssVariables, theme } from '@/theme'

import { Part } from './part'

/** The live parts, loaded together with the component library. */
export function Widgets() {
  return (
    // The page sets the color scheme, so the library gets no root element to write it to.
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      getRootElement={() => undefined}
      getStyleNonce={styleNonce}
    >
      <Part of="chaos">
        <LandingChaos />
      </Part>
      <Part of="verification">
        <LandingVerification />
      </Part>
      <Part of="experiments">
        <LandingExperiments />
      </Part>
    </MantineProvider>
  )
}
