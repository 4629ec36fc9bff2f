/** Data that account deletion removes. The export contains the same data; a server test compares both. */
export const goes = [
  'Your e-mail address, your sessions and tokens, and codes and links to log in',
  'Your answers to the questionnaire, and your posting times',
  'Posts that wait: they are cancelled, and their texts deleted, like those of drafts and of posts that failed',
  'Your recurring posts: they end, and their texts are deleted',
  'Texts that models wrote for you and that did not go out, and what you asked for',
  'Your votes in experiments that are open',
  'Experiments of yours that were never public',
  'Emails to you that were not sent, and to whom the others went',
  'What your visits counted for your price',
  'Your name, wherever we wrote down what you did',
]

/** Data that is kept without a name, and why. */
export const stays = [
  {
    what: 'Your membership, under a made-up name that nobody can take',
    why: 'Shares and credits are counted by it',
  },
  { what: 'Payments, their receipts, and the book of your credits', why: 'We have to keep books' },
  {
    what: 'Posts that went out, without "sponsored by"',
    why: 'They stand on X, and their runs prove that they did',
  },
  { what: 'Posts whose outcome nobody knows', why: 'They may stand on X' },
  {
    what: 'Your votes in experiments that have ended',
    why: 'Their count was frozen, and equals its rows',
  },
  { what: 'Public experiments that you submitted, without your name', why: 'Others voted on them' },
  {
    what: 'That an account was deleted, when, and by which run',
    why: 'So that we can show that it was done',
  },
]
