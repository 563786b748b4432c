import { MACHINE_CHANNELS, specOf } from '@trackway/contract/channels.ts';
import { DEFAULT_FORWARDED_TYPES, FORWARDED_TYPES } from '@trackway/contract/resources/forwarding.ts';
import { useState } from 'react';
import { useChange } from '../../../api/calls.ts';
import { type Forwarder, isHeldQueue } from '../../../api/forwarders.ts';
import { t } from '../../../texts/t.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { CopyField } from '../../../ui/fields/copy-field.tsx';
import { FieldStack, SelectField, TextField } from '../../../ui/fields/field.tsx';
import { Checkbox } from '../../../ui/fields/switch.tsx';
import { Notice, problemOf } from '../../../ui/states.tsx';
import { words } from '../../../ui/words.ts';
import css from './forwarder-form.module.css';
import { QueueProofDialog } from './queue-proof-dialog.tsx';

/** The destination of a device's data, and which data to forward. The kind of a destination never changes. */
export function ForwarderForm({
  deviceId,
  forwarder,
  onClose,
}: {
  deviceId: number;
  forwarder?: Forwarder;
  onClose: () => void;
}) {
  const create = useChange('createForwarder', ['listForwarders']);
  const update = useChange('updateForwarder', ['listForwarders']);
  const [draft, setDraft] = useState({
    kind: forwarder?.kind ?? 'http',
    target: forwarder?.target ?? '',
    types: forwarder?.types ?? [...DEFAULT_FORWARDED_TYPES],
    raw: forwarder?.raw ?? false,
    corrections: forwarder?.corrections ?? false,
  });
  const [secret, setSecret] = useState<string>();
  const [isProving, setProving] = useState(false);
  const set = (change: Partial<typeof draft>) => setDraft({ ...draft, ...change });
  const { kind, target, types, raw, corrections } = draft;
  const [spec, channel] = [specOf(kind), t.channels[kind].forwarder];
  const problem = create.error ?? update.error;
  const isHeld = isHeldQueue(problem);

  const save = async () => {
    const body = { types, raw, corrections, ...(target.trim() !== '' && { target: target.trim() }) };
    try {
      if (forwarder) await update.mutateAsync({ id: deviceId, fk: forwarder.id, body });
      else {
        const made = await create.mutateAsync({ id: deviceId, body: { kind, ...body } });
        if (made.secret) return setSecret(made.secret);
      }
      onClose();
    } catch {
      // The notice above the form shows the error.
    }
  };
  const prove = (
    <Button size="small" onClick={() => setProving(true)}>
      {t.queueProof.action}
    </Button>
  );
  if (secret !== undefined) return <SecretDialog secret={secret} onClose={onClose} />;
  if (isProving) return <QueueProofDialog arn={target.trim()} onClose={() => setProving(false)} />;
  return (
    <Dialog
      title={forwarder ? t.deviceWays.editTitle : t.deviceWays.createTitle}
      onClose={onClose}
      onSubmit={() => void save()}
      actions={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button
            kind="primary"
            type="submit"
            isBusy={create.isPending || update.isPending}
            disabled={types.length === 0}
          >
            {forwarder ? words.save : t.deviceWays.create}
          </Button>
        </>
      }
    >
      <FieldStack>
        {problem && (
          <Notice tone={isHeld ? 'warn' : 'danger'} action={isHeld && prove}>
            {isHeld ? t.queueProof.held : problemOf(problem)}
          </Notice>
        )}
        {!forwarder && (
          <SelectField
            label={t.deviceWays.kind}
            hint={channel.hint}
            value={kind}
            onChange={(next) => set({ kind: next })}
            choices={MACHINE_CHANNELS.map((value) => ({ value, label: t.channels[value].forwarder.name }))}
          />
        )}
        <TextField
          label={channel.target}
          hint={channel.targetHint}
          type={spec.addressForm === 'url' ? 'url' : 'text'}
          value={target}
          onChange={(next) => set({ target: next })}
          maxLength={2048}
          required={spec.address.from !== 'topic'}
          spellCheck={false}
          autoComplete="off"
        />
        <fieldset className={css.types}>
          <legend>{t.deviceWays.types}</legend>
          {FORWARDED_TYPES.map((type) => (
            <Checkbox
              key={type}
              label={t.deviceWays.type[type]!}
              isOn={types.includes(type)}
              onChange={(isOn) => set({ types: isOn ? [...types, type] : types.filter((one) => one !== type) })}
            />
          ))}
        </fieldset>
        {spec.form === 'envelope' && (
          <Checkbox
            label={t.deviceWays.raw}
            hint={t.deviceWays.rawHint}
            isOn={raw}
            onChange={(isOn) => set({ raw: isOn })}
          />
        )}
        {types.includes('notification') && (
          <Checkbox
            label={t.deviceWays.corrections}
            hint={t.deviceWays.correctionsHint}
            isOn={corrections}
            onChange={(isOn) => set({ corrections: isOn })}
          />
        )}
      </FieldStack>
    </Dialog>
  );
}

const SecretDialog = ({ secret, onClose }: { secret: string; onClose: () => void }) => (
  <Dialog
    title={t.deviceWays.secretTitle}
    onClose={onClose}
    actions={
      <Button kind="primary" onClick={onClose}>
        {t.deviceWays.done}
      </Button>
    }
  >
    <FieldStack>
      <p>{t.deviceWays.secretText}</p>
      <CopyField value={secret} label={t.deviceWays.secretTitle} />
    </FieldStack>
  </Dialog>
);
