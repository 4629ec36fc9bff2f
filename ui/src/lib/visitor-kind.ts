import type { Schemas } from '@/api/client'

type UserType = Schemas['UserData']['user_type']

export const visitorKind: Record<UserType, string> = {
  new_visitor: 'new visitor',
  returning_visitor: 'returning visitor',
  power_user: 'power user',
}
