import { ExternalLink } from '@/components/external-link'
import { Section } from '@/components/section'

import classes from './treasury.module.css'

/** X's rules for automated accounts. */
export function Policy() {
  return (
    <Section title="X's rules, and ours">
      <ul className={classes.words}>
        <li>
          X bills every post that a program sends, and far more for one with a link:{' '}
          <ExternalLink href="https://docs.x.com/x-api/getting-started/pricing" inherit underline="always">
            X's prices
          </ExternalLink>
          . It may change them at any time, and its bill counts, not our estimate.
        </li>
        <li>
          X's developer policy restricts selling posts, or anything else done through its API:{' '}
          <ExternalLink href="https://docs.x.com/developer-terms/policy" inherit underline="always">
            X's policy
          </ExternalLink>
          . The fee buys a membership, which shares the bot's quota, and no single post. Posts that members sponsor are
          marked as paid partnerships. X's label for AI is for pictures and videos, so our pages show which texts a
          model wrote.
        </li>
        <li>
          500 posts and 100 reads a month are our own limits, not X's. They bound what a month can cost, besides being
          what members share.
        </li>
        <li>
          One fee of at most $9 and costs in every month do not go together for ever. That is why the runway stands at
          the top.
        </li>
      </ul>
    </Section>
  )
}
