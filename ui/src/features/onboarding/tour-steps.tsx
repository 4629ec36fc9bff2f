import { Text } from '@mantine/core'

import type { Schemas } from '@/api/client'
import { number, plural } from '@/lib/plural'

type Facts = { credits: number | undefined; reward: number; bot: Schemas['BotStatus'] | undefined }

/** The steps of the tour, in order. */
export const tourSteps = [
  { title: 'Welcome, founding member', Words: Welcome },
  { title: 'How the investment works', Words: Investment },
  { title: 'Your first mission', Words: Mission },
  { title: 'You are ready', Words: Ready },
]

function Welcome({ credits }: Facts) {
  return (
    <>
      <Text>You are one of the people who make this experiment possible. Thank you!</Text>
      {credits !== undefined && (
        <Text>
          <Text span fz={40} fw={700} lh={1.1} className="numbers">
            {number(credits)}
          </Text>{' '}
          {credits === 1 ? 'credit is' : 'credits are'} yours now.
        </Text>
      )}
      <Text>One credit sponsors one post of our bot.</Text>
    </>
  )
}

function Investment({ bot }: Facts) {
  return (
    <>
      <Text>
        Your founding fee bought a share of the posting quota: {bot ? number(bot.monthlyLimit) : '500'} posts a month,
        shared among all members.
        {bot && ` Today that is ${plural(bot.memberShare, 'post')} a month for you.`}
      </Text>
      <Text fw={600}>It is a share of the quota, and of nothing else: no equity, and no right to profit.</Text>
      <Text>You pay once. There are no recurring charges.</Text>
    </>
  )
}

function Mission() {
  return (
    <>
      <Text>Write your first post under Bot operations, for now or for later.</Text>
      <Text>
        Then open its run and watch: every step that the bot takes is written down, and anybody can read it. That is
        what we are here to show.
      </Text>
    </>
  )
}

function Ready({ reward }: Facts) {
  return (
    <>
      <Text>That is all you need to know. The first time you finish this tour, we add {plural(reward, 'credit')}.</Text>
      <Text>You find the tour, your credits and your name on this page whenever you want them.</Text>
    </>
  )
}
