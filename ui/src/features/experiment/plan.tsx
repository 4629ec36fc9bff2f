import { Badge, Group, Stack, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

import { EmptyState } from '@/components/empty-state'
import { Section } from '@/components/section'

import classes from './experiment.module.css'
import type { Detail } from './words'

/** The method, the tools and the criteria for success. */
export function Plan({ experiment: { methodology, techStack, successMetrics } }: { experiment: Detail }) {
  if (methodology.length + techStack.length + successMetrics.length === 0) {
    return (
      <Section title="The plan">
        <EmptyState title="No plan yet">The founders write it before the experiment begins.</EmptyState>
      </Section>
    )
  }
  return (
    <Section title="The plan">
      <Stack gap="md" maw={760}>
        <Part title="Methodology" of={methodology}>
          {(name) => (
            <ol className={classes.list} aria-labelledby={name}>
              {items(methodology)}
            </ol>
          )}
        </Part>
        <Part title="Tech stack" of={techStack}>
          {(name) => (
            <Group component="ul" gap={6} className={classes.tags ?? ''} aria-labelledby={name}>
              {counted(techStack).map(([key, tag]) => (
                <Badge key={key} component="li" variant="outline" size="lg" className={classes.tag ?? ''}>
                  {tag}
                </Badge>
              ))}
            </Group>
          )}
        </Part>
        <Part title="Success metrics" of={successMetrics}>
          {(name) => (
            <ul className={classes.list} aria-labelledby={name}>
              {items(successMetrics)}
            </ul>
          )}
        </Part>
      </Stack>
    </Section>
  )
}

type PartProps = { title: string; of: string[]; children: (name: string) => ReactNode }

function Part({ title, of, children }: PartProps) {
  const name = useId()
  if (of.length === 0) return null
  return (
    <div>
      <Title order={3} size="h5" id={name} mb={4}>
        {title}
      </Title>
      {children(name)}
    </div>
  )
}

// Founders may write the same line twice, so the index is part of the key.
const counted = (lines: string[]) => lines.map((line, place) => [`${place} ${line}`, line] as const)

const items = (lines: string[]) =>
  counted(lines).map(([key, line]) => (
    <li key={key} className="wrap-anywhere">
      {line}
    </li>
  ))
