import { Button, Group, Text } from '@mantine/core'
import { NavLink } from 'react-router'

import { useSession } from '@/api/session'
import { IconLogout } from '@/components/icons'
import { roleName } from '@/lib/role'
import classes from './layout.module.css'
import { LogInButton } from './log-in-button'
import { nameOf } from './name-of'
import { useLogOut } from './use-log-out'

/** The account menu, expanded in the menu of a small screen. */
export function AccountLinks({ onNavigate }: { onNavigate: () => void }) {
  const { session } = useSession()
  const logOut = useLogOut()
  if (!session?.isAuthenticated) return <LogInButton onClick={onNavigate} />
  const links = [
    { to: '/account', label: 'Account' },
    ...(session.role === 'founder' ? [{ to: '/credentials', label: 'Bot credentials' }] : []),
  ]
  return (
    <nav aria-label="Your account" className={classes.nav}>
      {links.map(({ to, label }) => (
        <NavLink key={to} to={to} className={classes.page ?? ''} onClick={onNavigate}>
          {label}
        </NavLink>
      ))}
      <Group justify="space-between" px={10} pt={8}>
        <Text size="sm" className="wrap-anywhere">
          <strong>{nameOf(session)}</strong> · {roleName[session.role]}
        </Text>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconLogout size={15} />}
          onClick={() => {
            onNavigate()
            void logOut()
          }}
        >
          Log out
        </Button>
      </Group>
    </nav>
  )
}
