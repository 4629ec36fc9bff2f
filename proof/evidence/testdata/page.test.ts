test('shows what it is told', () => {})
