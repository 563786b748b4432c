import { type FormEvent, useState } from 'react';
import { useCreateMessage } from '../../../api/messages.ts';
import { t } from '../../../texts/t.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { TextArea } from '../../../ui/fields/field.tsx';
import { problemOf } from '../../../ui/states.tsx';
import css from './message-form.module.css';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const LONGEST = 65_536;

/** Sends a message to the device: text, or bytes as base64. Enter sends, Shift+Enter starts a new line. */
export function MessageForm({ deviceId }: { deviceId: number }) {
  const create = useCreateMessage();
  const [text, setText] = useState('');
  const [isBytes, setBytes] = useState(false);
  const isBad = isBytes && text.trim() !== '' && !BASE64.test(text.trim());

  const send = async (event?: FormEvent) => {
    event?.preventDefault();
    if (text.trim() === '' || isBad || create.isPending) return;
    try {
      await create.mutateAsync({ id: deviceId, body: isBytes ? { config: text.trim() } : { message: text } });
      setText('');
    } catch {
      // The field shows the error.
    }
  };
  return (
    <form className={css.form} onSubmit={(event) => void send(event)}>
      <IconButton
        icon="docs"
        label={isBytes ? t.deviceMessages.asText : t.deviceMessages.asBytes}
        isOn={isBytes}
        onClick={() => setBytes(!isBytes)}
      />
      <div className={css.text}>
        <TextArea
          label={t.deviceMessages.write}
          hidesLabel
          rows={1}
          isCode={isBytes}
          maxLength={LONGEST}
          placeholder={isBytes ? t.deviceMessages.asBytes : t.deviceMessages.placeholder}
          problem={isBad ? t.deviceMessages.badBase64 : create.error ? problemOf(create.error) : undefined}
          value={text}
          onChange={setText}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            void send();
          }}
        />
      </div>
      <Button kind="primary" icon="send" type="submit" shrinks isBusy={create.isPending} disabled={text.trim() === ''}>
        {t.deviceMessages.send}
      </Button>
    </form>
  );
}
