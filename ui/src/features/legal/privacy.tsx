import { Anchor, Text } from '@mantine/core'
import { Link } from 'react-router'

import { Contact } from './contact'
import classes from './legal.module.css'
import { Addition, Amendment, Clause, LegalText } from './legal-text'
import { Retention } from './retention'

export function Privacy() {
  return (
    <LegalText original={<Original />}>
      <Amendment day="2026-11-22">
        <PersonalPrices />
        <Models />
        <Cookies />
        <Public />
        <Addition title="How long we keep what">
          <Retention />
        </Addition>
        <Rights />
      </Amendment>
    </LegalText>
  )
}

function Original() {
  return (
    <>
      <Clause title="Information we collect">
        <Text>
          What you give us: your handle, your e-mail address, what you want to post, and what you answer. What comes
          with every visit: your browser's kind, and your network address.
        </Text>
      </Clause>
      <Clause title="How we use it">
        <Text>To run the service, to let you log in, to send what you asked for, and to keep abuse out.</Text>
      </Clause>
      <Clause title="How we share it">
        <Text>
          We do not sell it. Platforms and services that do part of the work get what that part needs: X the posts, the
          payment service the payment.
        </Text>
      </Clause>
      <Clause title="Security">
        <Text>Connections are encrypted, secrets are sealed at rest, and access is limited to those who need it.</Text>
      </Clause>
      <Clause title="OAuth credentials">
        <Text>
          Credentials for X are stored sealed and used to act as you allowed, for nothing else. They can be removed at
          any time, here or at X.
        </Text>
      </Clause>
      <Clause title="Contact">
        <Contact about="your data" />
      </Clause>
    </>
  )
}

function PersonalPrices() {
  return (
    <Addition title="Personal prices">
      <Text>
        If you ask for a price, an algorithm may use five things of your visits here to lower it: how often you came,
        how long you stayed, whether you looked at the prices, whether you began to buy, and which kind of visitor that
        makes you. Nothing else goes in: no place, no device, no name. Our own counters measure them, under the digest
        of a random cookie. A browser that sends Do Not Track or Global Privacy Control is not counted, and pays the
        list price.
      </Text>
    </Addition>
  )
}

function Models() {
  return (
    <Addition title="Models">
      <Text>
        A language model may propose a price from those five fields, write texts from what you tell it, and comment on
        screenshots of our own pages. It is given no address and no handle of yours. What it said is kept with the
        result, so that the result can be explained. Code, not a model, decides.
      </Text>
    </Addition>
  )
}

function Cookies() {
  return (
    <Addition title="Cookies">
      <ul className={classes.list}>
        <li>
          <strong>session</strong>: that you are logged in, 30 days after your last visit and 90 days after the login at
          most.
        </li>
        <li>
          <strong>login</strong>: while you are on your way to X and back.
        </li>
        <li>
          <strong>device</strong>: the browser that requests a code or logs in, 400 days. A login in another browser is
          reported to you by email.
        </li>
        <li>
          <strong>visitor</strong>: a random number for the counters above and for limits on requests, 30 days.
        </li>
      </ul>
      <Text>
        All of them are ours, and no script can read them. There are no cookies of others, and no trackers. Your browser
        also remembers the colour scheme and which tours you have seen; that stays with you.
      </Text>
    </Addition>
  )
}

function Public() {
  return (
    <Addition title="What is public">
      <Text>
        Your handle as a member and as a post's sponsor, posts that went out, ideas that were approved, and the{' '}
        <Anchor component={Link} to="/treasury" underline="always">
          payments
        </Anchor>{' '}
        without names. Runs are public, too, without texts, addresses and names. Votes are public as counts; whose they
        are is not.
      </Text>
    </Addition>
  )
}

function Rights() {
  return (
    <Addition title="Your data in your hands">
      <Text>
        On your{' '}
        <Anchor component={Link} to="/account" underline="always">
          account page
        </Anchor>{' '}
        you can download all that is stored about you, and delete your account. A run then takes back what waits, and
        forgets who you were. Without your name stay: the books of credits and payments, which we must keep; posts that
        went out, which stand on X; and votes that were counted.
      </Text>
    </Addition>
  )
}
