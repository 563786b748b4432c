import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { shortcutReader, takesKeys } from './shortcuts.ts';

/** Listens for global shortcuts, and returns the dialog that they opened. */
export function useShortcuts(): {
  readonly opened: 'palette' | 'help' | undefined;
  open(what: 'palette' | 'help' | undefined): void;
} {
  const [opened, open] = useState<'palette' | 'help'>();
  const [, navigate] = useLocation();
  useEffect(() => {
    const read = shortcutReader();
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const shortcut = read(event, takesKeys(event.target), event.timeStamp);
      if (shortcut === undefined) return;
      event.preventDefault();
      if (shortcut.kind === 'go') navigate(shortcut.href);
      // No second dialog opens above an open one.
      else if (!document.querySelector('dialog[open]')) open(shortcut.kind);
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [navigate]);
  return { opened, open };
}
