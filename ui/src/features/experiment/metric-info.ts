import type { Measure } from './words'

type MetricInfo = { label: string; unit: string; atMost: boolean; description: string }

// Descriptions of the metrics that can be registered.
export const metricInfo: Record<Measure['metric'], MetricInfo> = {
  posts_published: {
    label: 'Posts published',
    unit: 'posts',
    atMost: false,
    description: 'Posts published since the experiment became active.',
  },
  success_rate: {
    label: 'Success rate',
    unit: '%',
    atMost: false,
    description: 'Share of published posts among published and failed ones since the experiment became active.',
  },
  heal_time: {
    label: 'Median time to heal',
    unit: 's',
    atMost: true,
    description: 'Median time to heal of chaos runs since the experiment became active.',
  },
  members: { label: 'Members', unit: 'members', atMost: false, description: 'Active members at the due date.' },
  conversion: {
    label: 'Conversion',
    unit: '%',
    atMost: false,
    description:
      'Share of paid checkouts among all offers since the experiment became active, without the pricing demo.',
  },
}

export const metrics = Object.keys(metricInfo) as Measure['metric'][]
