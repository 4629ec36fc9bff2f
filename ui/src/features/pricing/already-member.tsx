import { Button, Group, Text } from '@mantine/core'
import { Link } from 'react-router'

export function AlreadyMember() {
  return (
    <Group gap="md" role="status">
      <Text flex="1 1 16rem">You are a founding member already. One membership is all there is.</Text>
      <Button component={Link} to="/account">
        Go to your account
      </Button>
    </Group>
  )
}
