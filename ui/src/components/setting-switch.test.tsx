import { act, fireEvent, screen } from '@testing-library/react'
import { expect, test } from 'vitest'

import { openPage } from '@/test/render'

import { SettingSwitch } from './setting-switch'

test('what is wanted shows at once, stays until the server has spoken, and is asked once', () => {
  const asked: boolean[] = []
  let settled = () => {}
  const page = (
    <SettingSwitch
      label="Approval"
      on={false}
      onTurn={(wanted, done) => {
        asked.push(wanted)
        settled = done
      }}
    />
  )
  openPage('/', [{ path: '/', element: page }])
  const approval = screen.getByRole('switch', { name: 'Approval' })
  fireEvent.click(approval)
  expect(approval).toBeChecked()
  fireEvent.click(approval)
  expect(approval).toBeChecked()
  expect(asked).toEqual([true])
  act(() => settled())
  expect(approval).not.toBeChecked() // the server kept it off
})
