import { t } from '../../texts/t.ts';
import { Dialog } from '../../ui/dialog.tsx';
import css from './palette.module.css';
import { GO_KEYS } from './shortcuts.ts';

const words = t.palette;
const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The list of keyboard shortcuts. */
export default function KeysDialog({
  pages,
  onClose,
}: {
  pages: readonly { readonly label: string; readonly href: string }[];
  onClose: () => void;
}) {
  const goes = Object.entries(GO_KEYS).flatMap(([key, href]) => {
    const page = pages.find((one) => one.href === href);
    return page ? [{ keys: ['G', key.toUpperCase()], does: words.goTo({ page: page.label }), isPair: true }] : [];
  });
  const all = [
    { keys: [isApple ? '⌘' : 'Ctrl', 'K'], does: words.open, isPair: false },
    { keys: ['?'], does: words.help, isPair: false },
    { keys: ['Esc'], does: words.close, isPair: false },
    ...goes,
  ];
  return (
    <Dialog title={words.keys} onClose={onClose} width="narrow">
      <p>{words.keysLead}</p>
      <dl className={css.keys}>
        {all.map(({ keys, does, isPair }) => (
          <div key={does}>
            <dt>{does}</dt>
            <dd>
              {keys.map((key, index) => (
                <span key={key}>
                  {index > 0 && isPair && <span className={css.then}>{words.afterwards}</span>}
                  <kbd>{key}</kbd>
                </span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
