import { Component, type ReactNode } from 'react'

type Props = { fallback: (error: unknown) => ReactNode; children: ReactNode }
type State = { broken: false } | { broken: true; error: unknown }

/** Renders a fallback in place of a failed component. */
export class Boundary extends Component<Props, State> {
  override state: State = { broken: false }

  static getDerivedStateFromError(error: unknown): State {
    return { broken: true, error }
  }

  override render() {
    return this.state.broken ? this.props.fallback(this.state.error) : this.props.children
  }
}
