const numbers = new Intl.NumberFormat('en')

export const number = (n: number) => numbers.format(n)

export const plural = (n: number, one: string, many = `${one}s`) => `${number(n)} ${n === 1 ? one : many}`
