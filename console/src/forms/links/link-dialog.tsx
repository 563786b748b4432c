import { useState } from 'react';
import { type LinkSubject, useCreateLink } from '../../api/links/links.ts';
import { t } from '../../texts/t.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CopyField } from '../../ui/fields/copy-field.tsx';
import { FieldStack, SelectField, TextArea, TextField } from '../../ui/fields/field.tsx';
import { Checkbox } from '../../ui/fields/switch.tsx';
import { Notice, problemOf } from '../../ui/states.tsx';
import { LINK_TIMES, type LinkDraft, type LinkTime, linkBodyOf, NEW_LINK, wrongIn } from './link-draft.ts';

const words = t.links;

/** Makes a link to a public page of a device or group, then shows it this once. */
export function LinkDialog({ of, name, onClose }: { of: LinkSubject; name: string; onClose: () => void }) {
  const [url, setUrl] = useState<string>();
  return url === undefined ? (
    <LinkForm of={of} name={name} onMade={setUrl} onClose={onClose} />
  ) : (
    <MadeLink url={url} onClose={onClose} />
  );
}

function LinkForm({
  of,
  name,
  onMade,
  onClose,
}: {
  of: LinkSubject;
  name: string;
  onMade: (url: string) => void;
  onClose: () => void;
}) {
  const create = useCreateLink();
  const said = 'groupId' in of ? words.ofGroup : words.ofDevice;
  const [draft, setDraft] = useState(NEW_LINK);
  const [isSent, setSent] = useState(false);
  const change = (part: Partial<LinkDraft>) => setDraft((before) => ({ ...before, ...part }));
  const wrong = wrongIn(draft);
  const make = async () => {
    setSent(true);
    if (wrong.destination || wrong.origins) return;
    try {
      const { url } = await create.create(of, linkBodyOf(draft, Date.now()));
      onMade(new URL(url, location.origin).href);
    } catch {
      // The notice above the form says why.
    }
  };
  return (
    <Dialog
      title={said.makeTitle(name)}
      onClose={onClose}
      onSubmit={() => void make()}
      actions={
        <>
          <ButtonLink href="/links" kind="plain">
            {words.manage}
          </ButtonLink>
          <Button onClick={onClose}>{t.ui.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={create.isPending}>
            {words.make}
          </Button>
        </>
      }
    >
      <FieldStack>
        {create.error && <Notice tone="danger">{problemOf(create.error)}</Notice>}
        <p>{said.makeText}</p>
        <SelectField<LinkTime>
          label={words.time}
          value={draft.time}
          onChange={(time) => change({ time })}
          choices={LINK_TIMES.map((value) => ({ value, label: words.times[value] }))}
        />
        <Checkbox label={said.trail} isOn={draft.trail} onChange={(trail) => change({ trail })} />
        <TextField
          label={words.name}
          hint={said.nameHint}
          value={draft.name}
          onChange={(text) => change({ name: text })}
          placeholder={name}
          maxLength={100}
        />
        <TextField
          label={words.destination}
          hint={words.destinationHint}
          problem={isSent && wrong.destination ? words.destinationWrong : undefined}
          value={draft.destination}
          onChange={(destination) => change({ destination })}
        />
        {draft.destination.trim() !== '' && (
          <TextField
            label={words.destinationName}
            value={draft.destinationName}
            onChange={(destinationName) => change({ destinationName })}
            maxLength={100}
          />
        )}
        <TextArea
          label={words.origins}
          hint={words.originsHint}
          problem={isSent && wrong.origins ? words.originsWrong : undefined}
          value={draft.origins}
          onChange={(origins) => change({ origins })}
          rows={2}
        />
      </FieldStack>
    </Dialog>
  );
}

function MadeLink({ url, onClose }: { url: string; onClose: () => void }) {
  const canSend = typeof navigator.share === 'function';
  return (
    <Dialog
      title={words.madeTitle}
      onClose={onClose}
      actions={
        <>
          {canSend && (
            <Button icon="share" onClick={() => void navigator.share({ url }).catch(() => undefined)}>
              {words.send}
            </Button>
          )}
          <Button kind="primary" onClick={onClose}>
            {words.done}
          </Button>
        </>
      }
    >
      <FieldStack>
        <Notice tone="info">{words.madeText}</Notice>
        <CopyField value={url} label={words.address} />
      </FieldStack>
    </Dialog>
  );
}
