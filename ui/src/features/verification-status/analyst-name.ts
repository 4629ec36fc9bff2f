/** Who commented, for people. */
export const analystName = (analyst: string) => (analyst === 'built-in' ? 'The built-in analysis' : analyst)
