/** Keyboard shortcuts of all pages. */

/** The page of each letter after `g`. */
export const GO_KEYS: Readonly<Record<string, string>> = {
  m: '/',
  d: '/devices',
  f: '/geofences',
  a: '/alerts',
  n: '/notifications',
  r: '/reports',
  l: '/links',
  s: '/settings',
};

export type Shortcut = { readonly kind: 'palette' | 'help' } | { readonly kind: 'go'; readonly href: string };

interface Press {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** Maximum time between two keys of a pair. */
const PAIR_MS = 1500;

/** Interprets key presses in sequence. `isTyping`: they go into a field. */
export function shortcutReader(): (press: Press, isTyping: boolean, now: number) => Shortcut | undefined {
  let wentAt = Number.NEGATIVE_INFINITY;
  return ({ key, ctrlKey, metaKey, altKey }, isTyping, now) => {
    const isPair = now - wentAt < PAIR_MS;
    wentAt = Number.NEGATIVE_INFINITY;
    if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'k') return { kind: 'palette' };
    if (isTyping || ctrlKey || metaKey || altKey) return undefined;
    const href = isPair ? GO_KEYS[key.toLowerCase()] : undefined;
    if (href !== undefined) return { kind: 'go', href };
    if (key === '?') return { kind: 'help' };
    if (key.toLowerCase() === 'g') wentAt = now;
    return undefined;
  };
}

const FIELD = 'input, textarea, select, [contenteditable], [role="textbox"], [role="application"]';

/** Whether the focused element handles keys itself, such as the map or an open dialog. */
export const takesKeys = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  (target.closest(FIELD) !== null || target.closest('dialog, canvas, [role="menu"]') !== null);
