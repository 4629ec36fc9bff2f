import { notifications } from '@mantine/notifications'

import { errorText } from '@/api/client'
import { useLogout } from '@/api/session'

/** Logs out and shows a note. Its button is gone by then, so the page takes the focus. */
export function useLogOut() {
  const { mutateAsync } = useLogout()
  return async () => {
    try {
      await mutateAsync()
      notifications.show({ color: 'green', message: 'You are logged out.', withBorder: true })
      document.getElementById('main')?.focus({ preventScroll: true })
    } catch (error) {
      const message = error instanceof Error ? errorText(error) : String(error)
      notifications.show({ color: 'red', title: 'Could not log out', message, withBorder: true })
    }
  }
}
