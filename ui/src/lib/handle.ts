/** An X name as people write it, whether it came with its @ or not. */
export const handle = (username: string) => `@${username.trim().replace(/^@+/, '')}`
