import { useState } from 'react';
import { IconButton } from '../button.tsx';
import { words } from '../words.ts';
import css from './copy-field.module.css';

const SHOWN_MS = 2000;

/** Text to copy: a key, a command. */
export function CopyField({ value, label }: { value: string; label: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <div className={css.copy}>
      <span className="unseen">{label}</span>
      <code className={css.value}>{value}</code>
      <IconButton
        icon={isCopied ? 'check' : 'copy'}
        size="small"
        label={isCopied ? words.copied : words.copy}
        onClick={() => void copy()}
      />
    </div>
  );
}
