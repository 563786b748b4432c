import { useState } from 'react';
import { type AnyLink, type LinkSubject, useCreateLink } from '../../api/links/links.ts';
import { t } from '../../texts/t.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CopyField } from '../../ui/fields/copy-field.tsx';
import { FieldStack, SelectField, TextArea, TextField } from '../../ui/fields/field.tsx';
import { Checkbox } from '../../ui/fields/switch.tsx';
import { QrCode } from '../../ui/figures/qr-code.tsx';
import { Notice, problemOf } from '../../ui/states.tsx';
import { PhoneBase } from '../connect/phone-base.tsx';
import { DestinationField } from './destination-field.tsx';
import { LINK_TIMES, type LinkDraft, type LinkTime, linkBodyOf, NEW_LINK, wrongIn } from './link-draft.ts';

const words = t.links;

/** The addresses of links that were made since this page was loaded, without the server: they contain a secret. */
const madeLinks = new Map<string, string>();
const linkKey = (of: LinkSubject, id: number) => ('groupId' in of ? `group ${id}` : `device ${id}`);
export const madeLink = (link: AnyLink) => madeLinks.get(linkKey(link, link.id));

/** Makes a link to a public page of a device or group, then shows it. */
export function LinkDialog({ of, name, onClose }: { of: LinkSubject; name: string; onClose: () => void }) {
  const [path, setPath] = useState<string>();
  return path === undefined ? (
    <LinkForm of={of} name={name} onMade={setPath} onClose={onClose} />
  ) : (
    <MadeLink path={path} onClose={onClose} />
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
  onMade: (path: string) => void;
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
    if (wrong.origins) return;
    try {
      const { id, url } = await create.create(of, linkBodyOf(draft, Date.now()));
      const { pathname, hash } = new URL(url, location.origin);
      madeLinks.set(linkKey(of, id), pathname + hash);
      onMade(pathname + hash);
    } catch {
      // The notice above the form shows the error.
    }
  };
  return (
    <Dialog
      title={said.makeTitle({ name })}
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
        <DestinationField
          name={draft.destinationName || draft.destination}
          onChange={(place) =>
            change({ destination: place ? `${place.lat}, ${place.lng}` : '', destinationName: place?.name ?? '' })
          }
        />
        {draft.destination !== '' && (
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

/** An address to copy, to scan, or to send by another app; it begins with one that others can reach. */
export function MadeLink({ path, onClose }: { path: string; onClose: () => void }) {
  const canSend = typeof navigator.share === 'function';
  return (
    <Dialog
      title={words.madeTitle}
      onClose={onClose}
      actions={
        <Button kind="primary" onClick={onClose}>
          {words.done}
        </Button>
      }
    >
      <FieldStack>
        <Notice tone="info">{words.madeText}</Notice>
        <PhoneBase fallback={location.origin}>
          {(base) => (
            <FieldStack>
              <CopyField value={base + path} label={words.address} />
              {canSend && (
                <div>
                  <Button
                    icon="share"
                    onClick={() => void navigator.share({ url: base + path }).catch(() => undefined)}
                  >
                    {words.send}
                  </Button>
                </div>
              )}
              <QrCode text={base + path} label={words.code} />
            </FieldStack>
          )}
        </PhoneBase>
      </FieldStack>
    </Dialog>
  );
}
