import { Component, type ReactNode } from 'react';
import { t } from '../texts/t.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/states.tsx';

/** Error boundary: catches a page that fails to render or load, so that everything else stays usable. */
export class Broken extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <EmptyState
        icon="warning"
        title={t.shell.broken}
        action={
          <Button kind="primary" icon="refresh" onClick={() => location.reload()}>
            {t.shell.reload}
          </Button>
        }
      >
        {t.shell.brokenHint}
      </EmptyState>
    );
  }
}
