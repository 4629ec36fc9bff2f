import { useEffect } from 'react'

import { leaveFor } from '@/lib/leave-for'

import { PageLoading } from './page-loading'

/** The landing page is none of the app's: whoever goes there within the app leaves it. */
export function FrontDoor({ leave = leaveFor }) {
  useEffect(() => leave('/'), [leave])
  return <PageLoading />
}
