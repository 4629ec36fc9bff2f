import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'

import { answer, api } from '@/api/client'
import { pause } from '@/lib/pause'

import type { Visitor } from './scenarios'

export const steps = ['Analyze Behavior', 'AI Decision', 'Create Coupon', 'Generate Checkout', 'Ready to Pay']

/** The state of the demo: `step` counts from 1, and is 0 before the first run. */
export function useDemoRun() {
  const { mutateAsync, data, variables, error } = useMutation({
    mutationFn: (user_data: Visitor) => answer(api.POST('/api/cye/full-flow', { body: { user_data } })),
  })
  const [step, setStep] = useState(0)
  const current = useRef<AbortController>(null)
  useEffect(() => () => current.current?.abort(), [])

  function start(visitor: Visitor) {
    const controller = new AbortController()
    current.current = controller
    const stop = () => controller.abort() // the error is in `error`
    follow(() => mutateAsync(visitor), setStep, controller.signal).catch(stop)
  }

  const running = step > 0 && step < steps.length && error === null
  return { start, step, running, flow: data?.flow, visitor: variables, error }
}

/** Sends the request and advances the steps at a readable pace. */
async function follow(ask: () => Promise<unknown>, tell: (step: number) => void, signal: AbortSignal) {
  tell(1)
  await Promise.all([ask(), pause(1_000, signal).then(() => tell(2))])
  tell(3)
  await pause(500, signal)
  tell(4)
  await pause(500, signal)
  tell(5)
}
