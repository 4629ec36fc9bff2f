import { createContext, type ReactNode, useCallback, useContext, useEffect, useId, useState } from 'react'
import { useBeforeUnload, useBlocker } from 'react-router'

import { LeaveQuestion } from '@/components/leave-question'

type Tell = (form: string, dirty: boolean) => void

const Context = createContext<Tell>(() => {})

/** Reports whether this form has unsaved changes. */
export function useUnsaved(dirty: boolean) {
  const tell = useContext(Context)
  const form = useId()
  useEffect(() => {
    tell(form, dirty)
    return () => tell(form, false)
  }, [tell, form, dirty])
}

/** Asks for confirmation before a navigation discards unsaved changes. */
export function ConfirmLeaving({ children }: { children: ReactNode }) {
  const [dirty, setDirty] = useState<readonly string[]>([])
  const tell = useCallback<Tell>((form, is) => {
    setDirty((all) => (all.includes(form) === is ? all : is ? [...all, form] : all.filter((one) => one !== form)))
  }, [])
  return (
    <Context value={tell}>
      {children}
      <Question dirty={dirty.length > 0} />
    </Context>
  )
}

function Question({ dirty }: { dirty: boolean }) {
  const blocker = useBlocker(({ currentLocation: from, nextLocation: to }) => dirty && from.pathname !== to.pathname)
  useBeforeUnload((event) => {
    if (dirty) event.preventDefault() // the browser shows its own question
  })
  return <LeaveQuestion blocker={blocker}>What you wrote about this experiment is not saved yet.</LeaveQuestion>
}
