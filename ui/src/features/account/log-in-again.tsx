import { Alert, Button, Text } from '@mantine/core'
import { useNavigate } from 'react-router'

import { signInPath, useLogout } from '@/api/session'
import { FormError } from '@/components/form-error'

const ignored = () => {} // logout.error shows it

/** Logs out and opens the sign-in page, for actions that need a recent login. */
export function LogInAgain() {
  const navigate = useNavigate()
  const logout = useLogout()
  // The logout may unmount this button first, and callbacks of mutate would then be lost.
  const again = () => logout.mutateAsync().then(() => navigate(signInPath('/account')), ignored)
  return (
    <Alert color="red" variant="outline" title="Your login is older than ten minutes">
      <Text size="sm" mb="sm">
        This cannot be undone, so we ask who you are once more. Log in again, then come back here.
      </Text>
      <FormError error={logout.error} />
      <Button size="xs" variant="default" loading={logout.isPending} onClick={again}>
        Log in again
      </Button>
    </Alert>
  )
}
