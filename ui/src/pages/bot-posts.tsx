import { PageHeader } from '@/components/page-header'
import { PostList } from '@/features/bot-posts/post-list'

export function BotPostsPage() {
  return (
    <>
      <PageHeader title="Bot posts">
        Everything the bot has published, newest first. Each post links to X and to the run that sent it.
      </PageHeader>
      <PostList />
    </>
  )
}
