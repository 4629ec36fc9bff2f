import type { Measure } from './words'

type MetricInfo = { label: string; unit: string; atMost: boolean; says: string }

// Descriptions of the metrics that can be registered.
export const metricInfo: Record<Measure['metric'], MetricInfo> = {
  posts_published: {
    label: 'Posts published',
    unit: 'posts',
    atMost: false,
    says: 'Posts published since the experiment became active.',
  },
  success_rate: {
    label: 'Success rate',
    unit: '%',
    atMost: false,
    says: 'Share of published posts among published and failed ones since the experiment became active.',
  },
  heal_time: {
    label: 'Median time to heal',
    unit: 's',
    atMost: true,
    says: 'Median time to heal of chaos runs since the experiment became active.',
  },
  members: { label: 'Members', unit: 'members', atMost: false, says: 'Active members at the due date.' },
  conversion: {
    label: 'Conversion',
    unit: '%',
    atMost: false,
    says: 'Share of paid checkouts among all offers since the experiment became active, without the pricing demo.',
  },
}

export const metrics = Object.keys(metricInfo) as Measure['metric'][]
