import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode, useState } from 'react'

import { newQueryClient } from '@/api/query-client'

import { Boundary } from './boundary'
import { Broken } from './broken'
import { LandingPage } from './landing-page'

/** The landing page, a separate entry without the app's router and components. */
export function Landing() {
  const [queryClient] = useState(newQueryClient)
  return (
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <Boundary fallback={(error) => <Broken error={error} />}>
          <LandingPage />
        </Boundary>
      </QueryClientProvider>
    </StrictMode>
  )
}
