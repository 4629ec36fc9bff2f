import { Stack, Text, Title } from '@mantine/core'

import classes from './account.module.css'
import { goes, stays } from './deletion-lists'

/** What account deletion removes and keeps. */
export function DeletionLists() {
  return (
    <Stack gap="sm">
      <Title order={3} fz="md">
        What is deleted
      </Title>
      <ul className={classes.bullets} aria-label="What is deleted">
        {goes.map((what) => (
          <li key={what}>{what}</li>
        ))}
      </ul>
      <Title order={3} fz="md">
        What stays, without your name
      </Title>
      <ul className={classes.bullets} aria-label="What stays, without your name">
        {stays.map(({ what, why }) => (
          <li key={what}>
            {what}
            <Text size="sm" c="dimmed">
              {why}.
            </Text>
          </li>
        ))}
      </ul>
    </Stack>
  )
}
