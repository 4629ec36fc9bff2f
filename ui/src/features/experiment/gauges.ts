import type { Measure } from './words'

type Gauge = { label: string; unit: string; atMost: boolean; says: string }

// Descriptions of the metrics that can be registered.
export const gauges: Record<Measure['metric'], Gauge> = {
  posts_published: {
    label: 'Posts published',
    unit: 'posts',
    atMost: false,
    says: 'Posts that went out since the experiment became active.',
  },
  success_rate: {
    label: 'Success rate',
    unit: '%',
    atMost: false,
    says: 'Published posts of all that were published or failed since the experiment became active.',
  },
  heal_time: {
    label: 'Median time to heal',
    unit: 's',
    atMost: true,
    says: 'The median of the chaos runs that healed since the experiment became active.',
  },
  members: { label: 'Members', unit: 'members', atMost: false, says: 'Active members at that moment.' },
  conversion: {
    label: 'Conversion',
    unit: '%',
    atMost: false,
    says: 'Paid checkouts of all that were offered since the experiment became active. The pricing demo does not count.',
  },
}

export const metrics = Object.keys(gauges) as Measure['metric'][]
