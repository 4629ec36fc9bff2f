import type { Post } from '@/api/posts'
import { EmptyState } from '@/components/empty-state'
import type { Dialog } from './dialogs'
import { type FilterName, filterOf } from './filters'
import classes from './post-queue.module.css'
import { QueueItem } from './queue-item'

type Props = {
  posts: Post[]
  filter: FilterName
  mayChange: (post: Post) => boolean
  onAct: (dialog: Dialog) => void
}

export function QueueList({ posts, filter, mayChange, onAct }: Props) {
  if (posts.length === 0) {
    return (
      <EmptyState title={filter === 'attention' ? 'All clear' : 'Nothing here'}>{filterOf(filter).empty}</EmptyState>
    )
  }
  return (
    <ul className={classes.list}>
      {posts.map((post) => (
        <QueueItem key={post.id} post={post} {...(mayChange(post) && { onAct })} />
      ))}
    </ul>
  )
}
