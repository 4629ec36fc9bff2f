import { Button, TextInput } from '@mantine/core'
import { screen } from '@testing-library/react'
import { type FormEvent, useState } from 'react'
import { expect, test } from 'vitest'

import { openPage } from '@/test/render'

let sent = 0

function Page() {
  const [waits, setWaits] = useState(false)
  const send = (event: FormEvent) => {
    event.preventDefault()
    sent += 1
    setWaits(true)
  }
  return (
    <form onSubmit={send}>
      <TextInput label="Name" />
      <Button type="submit" loading={waits}>
        Save
      </Button>
      <Button onClick={() => setWaits(false)}>Answer</Button>
      <Button aria-busy={waits} disabled={waits} onClick={() => setWaits(true)}>
        More
      </Button>
      <Button disabled>Never</Button>
    </form>
  )
}

const button = (name: string) => screen.getByRole('button', { name })

test.each([
  ['loading', 'Save'],
  ['busy', 'More'],
])('a button that is %s keeps the focus, and takes nothing before the answer', async (_, name) => {
  sent = 0
  const { user } = openPage('/form', [{ path: '/form', element: <Page /> }])
  await user.click(button(name))
  expect(button(name)).toHaveAttribute('aria-busy', 'true')
  expect(button(name)).toHaveAttribute('aria-disabled', 'true')
  expect(button(name)).toBeEnabled()
  expect(button(name)).toHaveFocus()

  const before = sent
  await user.keyboard('{Enter}')
  await user.keyboard(' ')
  await user.type(screen.getByLabelText('Name'), 'Ada{Enter}')
  expect(sent).toBe(before)

  await user.click(button('Answer'))
  expect(button(name)).not.toHaveAttribute('aria-disabled')
  await user.click(button('Save'))
  expect(sent).toBe(before + 1)
})

test('a button that is disabled is so, and one that says nothing sends no form', async () => {
  const { user } = openPage('/form', [{ path: '/form', element: <Page /> }])
  expect(button('Never')).toBeDisabled()
  expect(button('Answer')).toHaveAttribute('type', 'button')
  sent = 0
  await user.click(button('Answer'))
  expect(sent).toBe(0)
})
