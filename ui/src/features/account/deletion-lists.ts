/** Data that account deletion removes. The export contains the same data; a server test compares both. */
export const goes = [
  'Your email address, sessions, tokens, login codes and login links',
  'Your answers to the questionnaire and your posting times',
  'Scheduled posts: they are cancelled and their texts deleted, as are those of drafts and failed posts',
  'Your recurring posts: they end and their texts are deleted',
  'Unpublished texts that models wrote for you, and your prompts',
  'Your votes in open experiments',
  'Experiments you submitted that were never public',
  'Unsent emails to you, and the recipient of sent ones',
  'The visit data used for your price',
  'Your name in records of what you did',
]

/** Data that is kept without a name, and why. */
export const stays = [
  {
    what: 'Your membership, under a generated name',
    why: 'Shares and credits are counted by it',
  },
  { what: 'Payments, receipts and your credit ledger', why: 'We are required to keep accounts' },
  {
    what: 'Published posts, without "sponsored by"',
    why: 'They are public on X and documented by their workflow runs',
  },
  { what: 'Posts with an unknown outcome', why: 'They may be public on X' },
  {
    what: 'Your votes in experiments that have ended',
    why: 'The final count includes them',
  },
  { what: 'Public experiments that you submitted, without your name', why: 'Others voted on them' },
  {
    what: 'The fact that an account was deleted, when, and by which run',
    why: 'To prove the deletion',
  },
]
