import type { Schemas } from '@/api/client'
import facts from '@/components/facts.module.css'
import { Moment } from '@/components/moment'

import { PanelPart } from './panel-part'

export function DebugInfo({ of: { hostname, timestamp, worker, environment } }: { of: Schemas['Secrets'] }) {
  return (
    <PanelPart title="Debug info">
      <dl className={facts.facts}>
        <dt>Hostname</dt>
        <dd>{hostname}</dd>
        <dt>Timestamp</dt>
        <dd>
          <Moment at={timestamp} />
        </dd>
        <dt>Worker environment</dt>
        <dd>
          {worker}, {environment}
        </dd>
      </dl>
    </PanelPart>
  )
}
