import { Switch, type SwitchProps } from '@mantine/core'
import { useState } from 'react'

type Props = Omit<SwitchProps, 'checked' | 'onChange'> & {
  on: boolean
  /** Sends the new value and calls `settled` once the request has ended, in success or failure. */
  onTurn: (wanted: boolean, settled: () => void) => void
}

/**
 * A switch for a value that the server stores. It shows the new value at once; waiting until the mutation
 * reports that it is pending would make the switch flicker.
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
