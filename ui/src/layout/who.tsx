import { Button, Menu, Text } from '@mantine/core'
import { Link } from 'react-router'

import type { Schemas } from '@/api/client'
import { IconKey, IconLogout, IconPerson } from '@/components/icons'
import { roleName } from '@/lib/role'

import classes from './layout.module.css'
import { nameOf } from './name-of'

type Props = { session: Schemas['AuthStatus']; onLogOut: () => Promise<void> }

/** The logged-in user's menu. */
export function Who({ session, onLogOut }: Props) {
  const name = nameOf(session)
  return (
    // Not in a portal, so that it stays within the header landmark. The first item takes the focus, because
    // a menu may only contain items.
    <Menu position="bottom-end" width={210} shadow="md" withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          fullWidth
          px={6}
          leftSection={<IconPerson size={14} />}
          aria-label={`Account: ${name}`}
          title={name}
        >
          <span className={classes.name}>{name}</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label className="wrap-anywhere">
          <Text size="sm" fw={650} c="var(--mantine-color-text)">
            {name}
          </Text>
          {roleName[session.role]}
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item component={Link} to="/account" leftSection={<IconPerson size={15} />}>
          Account
        </Menu.Item>
        {session.role === 'founder' && (
          <Menu.Item component={Link} to="/credentials" leftSection={<IconKey size={15} />}>
            Bot credentials
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconLogout size={15} />} onClick={() => void onLogOut()}>
          Log out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
