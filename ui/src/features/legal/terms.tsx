import { Anchor, Text } from '@mantine/core'
import { Link } from 'react-router'

import { Contact } from './contact'
import classes from './legal.module.css'
import { Addition, Amendment, Clause, LegalText } from './legal-text'

export function Terms() {
  return (
    <LegalText original={<Original />}>
      <Amendment day="2026-11-22">
        <Membership />
        <Prices />
        <Shared />
        <Lab />
        <Breaking />
        <Leaving />
      </Amendment>
    </LegalText>
  )
}

function Original() {
  return (
    <>
      <Clause title="Acceptance of terms">
        <Text>By using Customer Zero you agree to these terms. If you do not agree, please do not use it.</Text>
      </Clause>
      <Clause title="Description of the service">
        <Text>
          Customer Zero runs a social-media bot that its members share, and shows in public how it works: what it posts,
          how it is tested, and what it tries next.
        </Text>
      </Clause>
      <Clause title="Your responsibilities">
        <ul className={classes.list}>
          <li>Keep to the law, and to the rules of the platforms that posts go to.</li>
          <li>Post nothing that harms, deceives or harasses people, and nothing that is not yours to post.</li>
          <li>Keep your login to yourself. What is done with it counts as done by you.</li>
        </ul>
      </Clause>
      <Clause title="Use of the API">
        <Text>
          The service uses the interfaces of other platforms within their limits. You may not use ours to get around
          those limits, to overload them, or to read what is not meant for you.
        </Text>
      </Clause>
      <Clause title="Contact">
        <Contact about="these terms" />
      </Clause>
    </>
  )
}

function Membership() {
  return (
    <Addition title="What a membership is, and what “shareholder” means">
      <Text>
        A membership costs $9, once, and nothing after that. It comes with 90 credits; a sponsored post costs one.
        Members are also called founding members, Customer 0, or shareholders. The share is a share of the posting
        quota: every member may hold floor(500 ÷ (members + 1)) posts of a month.{' '}
        <strong>It is no equity, no security and no right to any profit.</strong>
      </Text>
      <Text>
        What is not used in a month ends with it, at 00:00 UTC on the first. We promise the share, not that X carries
        every post: what fails is shown as such, and its credit is given back. Where nobody can tell whether a post went
        out, it says so, and a founder decides.
      </Text>
    </Addition>
  )
}

function Prices() {
  return (
    <Addition title="Personal prices">
      <Text>
        The list price is $9. An algorithm may lower it, never raise it, from five things it knows of your visits; the
        price that you are shown says so, and has a{' '}
        <Anchor component={Link} to="/pricing" underline="always">
          receipt
        </Anchor>{' '}
        that lists them. You may always pay the list price instead, and have no data used.
      </Text>
    </Addition>
  )
}

function Shared() {
  return (
    <Addition title="What goes out in the bot's name">
      <Text>
        X's developer policy restricts selling posts that are made through its API. What you pay for is a membership;
        the posts stay the bot's, founders may ask to approve them first, hold them back, or turn them down, and
        sponsored and generated posts are marked as such. If X changes its rules, or its prices, the quota may become
        smaller.
      </Text>
    </Addition>
  )
}

function Lab() {
  return (
    <Addition title="Ideas and votes">
      <Text>
        Ideas that you submit become public when a founder approves them, and anybody may build on them. Members have
        one vote for each experiment; you may change it, or take it back, until the vote is closed. Closed votes are
        counted once, by a run that everybody can read.
      </Text>
    </Addition>
  )
}

function Breaking() {
  return (
    <Addition title="Breaking things">
      <Text>
        The buttons that break something break the chaos target, a replica that is there for it. Break that as you like,
        within the limits that the page names. Attacks on anything else are not part of the game.
      </Text>
    </Addition>
  )
}

function Leaving() {
  return (
    <Addition title="Leaving">
      <Text>
        You can take your data with you, and delete your account, on your{' '}
        <Anchor component={Link} to="/account" underline="always">
          account page
        </Anchor>
        . Deleting pays nothing back; ask for a refund first if you want one. A refunded membership is frozen: it holds
        no share, and its credits are reversed.
      </Text>
    </Addition>
  )
}
