import { useEffect } from 'react'

import { leaveFor } from '@/lib/leave-for'

import { PageLoading } from './page-loading'

/** The landing page is not part of the app, so a navigation to it leaves the app. */
export function FrontDoor({ leave = leaveFor }) {
  useEffect(() => leave('/'), [leave])
  return <PageLoading />
}
