import { useEffect, useReducer, useRef, useState } from 'react'

import { xLoginPath } from '@/api/session'

import { ask } from './ask'
import { diagnose } from './diagnose'
import { advance, notBegun } from './run'

const comeBackTo = '/experiments'

export type Diagnosis = ReturnType<typeof useDiagnosis>

type Options = { go: (address: string) => void; stay: boolean }

/** The diagnosis and its dialog. If every step passes, it continues to X's login, unless `stay` is set. */
export function useDiagnosis({ go, stay }: Options) {
  const [opened, setOpened] = useState(false)
  const [run, dispatch] = useReducer(advance, notBegun)
  const current = useRef<AbortController>(null)
  const stop = () => current.current?.abort()
  useEffect(() => () => current.current?.abort(), []) // an unmounted page does not continue to X

  async function follow(signal: AbortSignal) {
    dispatch({ kind: 'begin' })
    for await (const progress of diagnose(ask, signal)) {
      if (signal.aborted) return
      dispatch(progress)
      if (progress.kind === 'leave' && !stay) go(xLoginPath(comeBackTo))
    }
  }

  function start() {
    stop()
    current.current = new AbortController()
    const { signal } = current.current
    setOpened(true)
    follow(signal).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  }

  function close() {
    stop()
    setOpened(false)
  }

  return { opened, run, stay, start, close }
}
