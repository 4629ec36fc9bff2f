import { createContext, useContext } from 'react'

/** Opens the dialog where a founder pastes the key. The layout provides it. */
export const FounderAccessContext = createContext<() => void>(() => {})

export const useOpenFounderAccess = () => useContext(FounderAccessContext)
