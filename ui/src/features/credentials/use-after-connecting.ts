import { useTimeout } from '@mantine/hooks'
import { useNavigate } from 'react-router'

import { useRefresh } from './queries'

const step = 2_000

/** Once connected: two seconds to read it, two to see the new status, then the dashboard. */
export function useAfterConnecting() {
  const navigate = useNavigate()
  const refresh = useRefresh()
  const leave = useTimeout(() => void navigate('/dashboard'), step)
  const show = useTimeout(() => {
    void refresh()
    leave.start()
  }, step)
  return { begin: show.start, cancel: leave.clear }
}
