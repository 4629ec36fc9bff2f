import { Badge, Button, Group, Text } from '@mantine/core'

import { IconCheck } from '@/components/icons'
import { plural } from '@/lib/plural'

import classes from './getting-started.module.css'
import type { Kind, Onboarding } from './queries'

const words: Record<Kind, { name: string; about: string; begin: string; goOn: string; again: string }> = {
  tour: {
    name: 'Welcome tour',
    about: 'Your credits, how the investment works, and a first mission. One minute.',
    begin: 'Take the tour',
    goOn: 'Go on with the tour',
    again: 'Take it again',
  },
  partnership: {
    name: 'Partnership discovery',
    about: 'Twelve questions about what you would like to build with us. Answer what you like.',
    begin: 'Start the questions',
    goOn: 'Go on with the questions',
    again: 'Change your answers',
  },
}

type Props = { kind: Kind; progress: Onboarding[Kind]; onOpen: () => void }

export function StartItem({ kind, progress: { step, completed, reward }, onOpen }: Props) {
  const { name, about, begin, goOn, again } = words[kind]
  return (
    <Group component="li" className={classes.item ?? ''} justify="space-between" gap="sm">
      <div style={{ flex: '1 1 16rem' }}>
        <Group gap="xs" mb={2}>
          <Text fw={600}>{name}</Text>
          {completed ? (
            <Badge variant="outline" color="green" leftSection={<IconCheck size={12} />}>
              done
            </Badge>
          ) : (
            <Badge variant="outline" color="indigo">
              +{plural(reward, 'credit')}
            </Badge>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          {about}
        </Text>
      </div>
      <Button variant={completed ? 'default' : 'filled'} size="xs" onClick={onOpen}>
        {completed ? again : step > 1 ? goOn : begin}
      </Button>
    </Group>
  )
}
