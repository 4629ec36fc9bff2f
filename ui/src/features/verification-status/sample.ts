import type { VerificationStatus } from '@/api/verification'

/** What is shown, muted and labelled, while live data cannot be had. Never part of a total. */
export const sampleStatus: Required<Pick<VerificationStatus, 'status' | 'endpointsChecked' | 'successRate'>> = {
  status: 'active',
  endpointsChecked: 6,
  successRate: 100,
}
