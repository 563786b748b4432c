import { IconButton } from '../button.tsx';
import { Icon } from '../icon.tsx';
import { words } from '../words.ts';
import css from './search-field.module.css';

export function SearchField({
  label,
  value,
  onChange,
  autoFocus,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  autoFocus?: boolean;
}) {
  return (
    <div className={css.search}>
      <Icon name="search" size={18} />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        // biome-ignore lint/a11y/noAutofocus: Only where the viewer has just opened the search.
        autoFocus={autoFocus}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      {value !== '' && <IconButton icon="close" size="small" label={words.clear} onClick={() => onChange('')} />}
    </div>
  );
}
