import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'

import { openPage } from '@/test/render'
import { agreement, agreements } from '@/test/verification-status'
import { fail, serve } from '@/test/world'

import { Agreement } from './agreement'

const path = '/api/verification/agreement'

function open(...analysts: Parameters<typeof agreements>) {
  serve({ [path]: agreements(...analysts) })
  openPage('/', [{ path: '/', element: <Agreement /> }])
}

test('says of each analyst how often it was right, and how it was wrong', async () => {
  const { share: _, ...none } = agreement({
    analyst: 'a-model',
    compared: 0,
    agreed: 0,
    healthy: 0,
    broken: 0,
    falseAlarms: 0,
    overlooked: 0,
  })
  open(agreement(), none)
  const [builtIn, model] = await screen.findAllByRole('listitem')
  if (builtIn === undefined || model === undefined) throw new Error('there are two analysts')

  expect(within(builtIn).getByRole('heading')).toHaveTextContent('The built-in analysis')
  expect(within(builtIn).getByText('19 of 20 right')).toBeVisible()
  expect(within(builtIn).getByText('2 of 4 right')).toBeVisible()
  const bars = within(builtIn).getAllByRole('progressbar')
  expect(bars.map((bar) => bar.getAttribute('aria-valuetext'))).toEqual(['19 of 20', '2 of 4'])
  expect(
    within(builtIn)
      .getAllByRole('definition')
      .map((fact) => fact.textContent),
  ).toEqual([
    '1 (it looked broken, and was well)',
    '2 (it looked well, and was broken)',
    '4 (no opinion: not compared)',
  ])

  expect(within(model).getByRole('heading')).toHaveTextContent('a-model')
  expect(within(model).getByText('Nothing compared yet')).toBeVisible()
  expect(within(model).queryByRole('progressbar')).not.toBeInTheDocument()
  expect(screen.getByText('The share is those that agree of those that count.')).toBeVisible()
})

test('before anything was compared it says what to do', async () => {
  open()
  expect(await screen.findByText('Nothing compared yet')).toBeVisible()
  expect(screen.getByRole('link', { name: 'break the chaos target' })).toHaveAttribute('href', '/chaos-monkey')
})

test('a server that does not answer is told as such', async () => {
  fail(path)
  openPage('/', [{ path: '/', element: <Agreement /> }])
  const shown = await screen.findByRole('region', { name: 'How often was the comment right?' })
  expect(await within(shown).findByText('Could not load the agreement')).toBeVisible()
})
