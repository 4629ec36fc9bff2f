import { Switch, type SwitchProps } from '@mantine/core'
import { useState } from 'react'

type Props = Omit<SwitchProps, 'checked' | 'onChange'> & {
  on: boolean
  /** Sends what is wanted, and calls `settled` when the server's word is known, whatever it is. */
  onTurn: (wanted: boolean, settled: () => void) => void
}

/**
 * A switch of something that the server keeps. What is wanted shows at once, and not when a
 * mutation tells that it is under way: meanwhile the switch would jump back.
 */
export function SettingSwitch({ on, onTurn, ...rest }: Props) {
  const [wanted, want] = useState<boolean | null>(null)
  function turn(next: boolean) {
    if (wanted !== null) return
    want(next)
    onTurn(next, () => want(null))
  }
  return <Switch {...rest} checked={wanted ?? on} onChange={(event) => turn(event.currentTarget.checked)} />
}
