import { notifications } from '@mantine/notifications'

import { errorText } from '@/api/client'

/** Says what was done, for a while. */
export const tellDone = (message: string) => notifications.show({ color: 'green', message, withBorder: true })

/** Says what was refused, until it is dismissed. */
export const tellError = (title: string, error: Error) =>
  notifications.show({ color: 'red', title, message: errorText(error), autoClose: false, withBorder: true })
