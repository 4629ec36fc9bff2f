import { notifications } from '@mantine/notifications'

import { errorText } from '@/api/client'

/** A success notification that closes by itself. */
export const notifyDone = (message: string) => notifications.show({ color: 'green', message, withBorder: true })

/** An error notification that stays until dismissed. */
export const notifyError = (title: string, error: Error) =>
  notifications.show({ color: 'red', title, message: errorText(error), autoClose: false, withBorder: true })
