import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

import { render } from './prerender'

const words = render().replace(/<[^>]*>/g, '')

test('the page is drawn before any script has run', () => {
  expect(words).toContain('Break it. Watch it heal itself.')
  expect(words).toContain('a social bot you can audit')
  expect(words).toContain('Founding membership')
  expect(words).toContain('not equity')
})

test('nothing is claimed in it that only the live state can tell', () => {
  expect(words).toContain('Checking the system…')
  expect(words).toContain('Checking the monitoring…')
  for (const claim of ['operational', 'monitoring active', 'invested', 'sandbox', 'Temporal console', 'Account']) {
    expect(words).not.toContain(claim)
  }
})

test('it says what works without scripts', () => {
  expect(render()).toMatch(/<noscript><p>These parts need JavaScript.*\/feeds\/chaos\.xml/)
})

test('the page it is put into has its place, and everything that others show of a link', () => {
  const html = readFileSync('landing.html', 'utf8')
  expect(html).toContain('<div id="root"><!--page--></div>')
  for (const name of ['og:title', 'og:description', 'og:image', 'og:url', 'twitter:card', 'theme-color']) {
    expect(html).toMatch(new RegExp(`(property|name)="${name}"`))
  }
  expect(html).toContain('content="__PUBLIC_URL__/og-image.png"')
  expect(html).toContain('<link rel="canonical" href="__PUBLIC_URL__/" />')
  expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/) // the content security policy
  expect(render()).not.toMatch(/<script|<style|\sstyle=/)
})
