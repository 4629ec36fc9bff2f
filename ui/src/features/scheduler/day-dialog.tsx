import { Modal } from '@mantine/core'

import type { Post } from '@/api/posts'
import { type Day, longDay } from '@/lib/calendar'

import { type DayEntry, emptyDay } from './by-day'
import { DayList } from './day-list'

type Props = {
  day: Day | null
  entry: DayEntry | undefined
  zone: string
  onOpen: (post: Post) => void
  onClose: () => void
}

const never = () => false

/** All posts of a day; its cell shows only the first few. */
export function DayDialog({ day, entry, zone, onOpen, onClose }: Props) {
  const open = (post: Post) => {
    onClose()
    onOpen(post)
  }
  return (
    <Modal opened={day !== null} onClose={onClose} title={day && longDay(day)}>
      <DayList entry={entry ?? emptyDay} zone={zone} focusable canMove={never} onOpen={open} />
    </Modal>
  )
}
