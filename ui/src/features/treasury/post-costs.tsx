import { Text } from '@mantine/core'

import { Section } from '@/components/section'
import { exactly } from '@/lib/money'
import { number } from '@/lib/plural'

import { nearly, roundly } from './amounts'
import type { Treasury } from './queries'
import classes from './treasury.module.css'

/** What X charges for a post, and the share of a fee. */
export function PostCosts({ of: { costs, per_post_microusd: average, credits } }: { of: Treasury }) {
  return (
    <Section title="What a post costs">
      <dl className={`${classes.facts} numbers`}>
        <Fact name="Without a link" value={exactly(costs.posts.each_microusd)} />
        <Fact name="With a link" value={exactly(costs.link_posts.each_microusd)} />
        <Fact name="On average so far" value={average === undefined ? 'no post yet' : nearly(average)} />
      </dl>
      <Text size="sm" mt="md" className="numbers">
        {/* biome-ignore format: a sentence */}A founding fee comes with {number(credits.count)} credits, one for a
        post. {number(credits.count)} posts without a link cost us {roundly(credits.plain_microusd)}; with a link each,{' '}
        {roundly(credits.with_link_microusd)}.
      </Text>
      <Text size="sm" c="dimmed" mt={6}>
        The average counts posts, reads and language models, by the number of posts.
      </Text>
    </Section>
  )
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
