import type { VerificationStatus } from '@/api/verification'

/** Samples, shown muted and labeled while live data cannot be loaded. They never enter a total. */
export const sampleStatus: Required<Pick<VerificationStatus, 'status' | 'endpointsChecked' | 'successRate'>> = {
  status: 'active',
  endpointsChecked: 6,
  successRate: 100,
}
