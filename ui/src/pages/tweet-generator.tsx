import { PageHeader } from '@/components/page-header'
import { TweetGenerator } from '@/features/tweet-generator/tweet-generator'

export function TweetGeneratorPage() {
  return (
    <>
      <PageHeader title="Tweet generator">
        Models propose, people decide. Nothing is posted before somebody has read it.
      </PageHeader>
      <TweetGenerator />
    </>
  )
}
