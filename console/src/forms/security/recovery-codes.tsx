import { useState } from 'react';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FieldStack } from '../../ui/fields/field.tsx';
import { Checkbox } from '../../ui/fields/switch.tsx';
import { Row } from '../../ui/page.tsx';
import { Notice } from '../../ui/states.tsx';
import css from './security.module.css';

const words = t.security;

/** Shows recovery codes once. It closes only after the viewer confirms that they are saved. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const [isSaved, setSaved] = useState(false);
  const [isCopied, setCopied] = useState(false);
  const text = codes.join('\n');
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  const download = () => {
    const url = URL.createObjectURL(new Blob([`${text}\n`], { type: 'text/plain' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = words.fileName;
    link.click();
    // The browser has started the download by then.
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  };
  return (
    <Dialog
      title={words.codesTitle}
      onClose={() => isSaved && onClose()}
      actions={
        <Button kind="primary" disabled={!isSaved} onClick={onClose}>
          {words.done}
        </Button>
      }
    >
      <FieldStack>
        <Notice tone="warn">{words.codesText}</Notice>
        <ul className={css.codes} aria-label={words.recovery}>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <Row>
          <Button icon="copy" onClick={() => void copy().catch(() => undefined)}>
            {isCopied ? words.copied : words.copy}
          </Button>
          <Button icon="download" onClick={download}>
            {words.download}
          </Button>
        </Row>
        <Checkbox label={words.saved} isOn={isSaved} onChange={setSaved} />
      </FieldStack>
    </Dialog>
  );
}
