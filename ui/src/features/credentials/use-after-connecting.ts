import { useTimeout } from '@mantine/hooks'
import { useNavigate } from 'react-router'

import { useRefresh } from './queries'

const step = 2_000

/** After connecting, shows the result for two seconds, then the new status for two seconds, then the dashboard. */
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
