import { Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import type { Schemas } from '@/api/client'
import { EmptyState } from '@/components/empty-state'
import { Loaded } from '@/components/loaded'
import { Section } from '@/components/section'
import { plural } from '@/lib/plural'

import { leaderboardQuery } from './queries'
import classes from './tweet-generator.module.css'

/** The blind votes won by each model. */
export function Leaderboard() {
  const leaderboard = useQuery(leaderboardQuery)
  return (
    <Section title="Leaderboard of models">
      <Loaded query={leaderboard} what="the leaderboard" loading={<Skeleton h={80} aria-busy="true" />}>
        {({ models, votes }) =>
          votes === 0 ? (
            <EmptyState title="No votes yet">
              Let several models write, and say which text is best. Their names are hidden until then. Templates are not
              ranked.
            </EmptyState>
          ) : (
            <>
              <Table models={models} />
              <Text size="sm" c="dimmed" mt="xs" className="numbers">
                {plural(votes, 'blind vote')}. The bars show the share of votes won among those a model took part in.
              </Text>
            </>
          )
        }
      </Loaded>
    </Section>
  )
}

function Table({ models }: { models: Schemas['LeaderboardRow'][] }) {
  return (
    <table className={`${classes.leaderboard} numbers`}>
      <thead>
        <tr>
          <th scope="col">Model</th>
          <th scope="col">Won</th>
          <th scope="col">Share</th>
        </tr>
      </thead>
      <tbody>
        {models.map(({ model, wins, votes, percent }) => (
          <tr key={model}>
            <th scope="row" className="wrap-anywhere">
              {model}
              <div className={classes.track} aria-hidden="true">
                <div className={classes.bar} style={{ width: `${percent}%` }} />
              </div>
            </th>
            <td>
              {wins} of {votes}
            </td>
            <td>{percent} %</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
