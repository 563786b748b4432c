import { createStore, useStore } from '../store.ts';
import { Button, IconButton } from './button.tsx';
import { classes } from './class-names.ts';
import css from './toast.module.css';
import { words } from './words.ts';

export interface Toast {
  readonly text: string;
  readonly tone?: 'good' | 'danger' | 'plain';
  /** One action: undo, open. */
  readonly action?: { readonly label: string; readonly onPress: () => void };
}

interface Shown extends Toast {
  readonly id: number;
}

const MOST = 4;
const LIFE_MS = 6000;
const shown = createStore<readonly Shown[]>([]);
let last = 0;

/** A message that disappears by itself: `toast({ text: 'Saved', tone: 'good' })`. */
export function toast(news: Toast): void {
  const one = { ...news, id: ++last };
  shown.set((now) => [...now, one].slice(-MOST));
  setTimeout(() => dismiss(one.id), news.action ? LIFE_MS * 2 : LIFE_MS);
}

const dismiss = (id: number) => shown.set((now) => now.filter((one) => one.id !== id));

/** Shows the messages; used once, in the shell. */
export function Toasts() {
  const toasts = useStore(shown);
  return (
    <div className={css.stack} role="status" aria-live="polite">
      {toasts.map(({ id, text, tone = 'plain', action }) => (
        <div key={id} className={classes(css.toast, css[tone])}>
          <span className={css.text}>{text}</span>
          {action && (
            <Button
              size="small"
              kind="quiet"
              onClick={() => {
                action.onPress();
                dismiss(id);
              }}
            >
              {action.label}
            </Button>
          )}
          <IconButton icon="close" size="small" label={words.dismiss} onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
