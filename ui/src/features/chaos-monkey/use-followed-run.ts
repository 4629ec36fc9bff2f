import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

import type { Schemas } from '@/api/client'

import { eventsPath } from './addresses'
import { type ChaosEvent, type ChaosRun, chaosRunQuery } from './queries'

/** A run, updated by its events. Without events it is polled. */
export function useFollowedRun(id: string | undefined) {
  const told = useEvents(id)
  const { data } = useQuery({
    ...chaosRunQuery(id ?? ''),
    enabled: id !== undefined,
    ...(told && { refetchInterval: false as const }),
  })
  return data
}

/** Updates the query of a run from the server's events, and reports whether they arrive. */
function useEvents(id: string | undefined) {
  const queryClient = useQueryClient()
  const [told, setTold] = useState(false)
  useEffect(() => {
    if (id === undefined || typeof EventSource === 'undefined') return
    const source = new EventSource(eventsPath(id))
    const keep = keeper(queryClient, id)
    const on = (name: string, use: (message: MessageEvent<string>) => void) =>
      source.addEventListener(name, (message: MessageEvent<string>) => {
        setTold(name !== 'end')
        use(message)
      })
    on('event', ({ data }) => keep.event(JSON.parse(data)))
    on('probe', ({ data, lastEventId }) => keep.probe(Number(lastEventId), JSON.parse(data)))
    on('end', ({ data }) => {
      source.close()
      keep.whole(JSON.parse(data))
    })
    source.onerror = () => setTold(false) // the browser reconnects by itself; until then the run is polled
    return () => {
      source.close()
      setTold(false)
    }
  }, [id, queryClient])
  return told
}

/** Returns the event handlers that update the cached run. */
function keeper(queryClient: QueryClient, id: string) {
  const { queryKey } = chaosRunQuery(id)
  const ask = () => void queryClient.invalidateQueries({ queryKey })
  return {
    // Its timeline has changed too, but arrives only with the end.
    event: (event: ChaosEvent) => {
      queryClient.setQueryData(queryKey, (run) => run && { ...run, event })
      ask()
    },
    probe: (place: number, probe: Schemas['Probe']) => {
      const run = queryClient.getQueryData(queryKey)
      if (run === undefined) return // the first response is in flight and will contain this probe
      if (place > run.probes.samples.length) ask()
      else queryClient.setQueryData(queryKey, withProbe(run, place, probe))
    },
    whole: (run: ChaosRun) => {
      void queryClient.cancelQueries({ queryKey }) // the response in flight is older
      queryClient.setQueryData(queryKey, run)
    },
  }
}

function withProbe(run: ChaosRun, place: number, probe: Schemas['Probe']): ChaosRun {
  const samples = [...run.probes.samples]
  samples[place] = probe
  return { ...run, probes: { ...run.probes, samples } }
}
