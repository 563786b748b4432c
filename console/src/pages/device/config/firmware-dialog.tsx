import { AVAILABILITIES } from '@trackway/contract/resources/commands/firmware.ts';
import { useState } from 'react';
import { useRequestFirmware } from '../../../api/commands.ts';
import { t } from '../../../texts/t.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { FieldStack, SelectField, TextField } from '../../../ui/fields/field.tsx';
import { Notice, problemOf } from '../../../ui/states.tsx';
import { toast } from '../../../ui/toast.tsx';
import { words as common } from '../../../ui/words.ts';

const words = t.deviceFirmware;
const FORCED = '9';

/** Requests the installation of a firmware version. */
export function FirmwareDialog({ deviceId, onClose }: { deviceId: number; onClose: () => void }) {
  const request = useRequestFirmware();
  const [draft, setDraft] = useState({ build: '', channel: '', urgency: '0' });
  const build = draft.build.trim();
  const channel = draft.channel.trim();
  const save = async () => {
    if (build === '') return;
    const body = { build, availability: Number(draft.urgency), ...(channel !== '' && { channel }) };
    try {
      await request.mutateAsync({ id: deviceId, body });
      toast({ text: words.asked({ build }), tone: 'good' });
      onClose();
    } catch {
      // The notice above the form shows the error.
    }
  };
  return (
    <Dialog
      title={words.dialogTitle}
      onClose={onClose}
      onSubmit={() => void save()}
      width="narrow"
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={request.isPending}>
            {words.action}
          </Button>
        </>
      }
    >
      <FieldStack>
        {request.error && <Notice tone="danger">{problemOf(request.error)}</Notice>}
        <p>{words.lead}</p>
        <TextField
          label={words.build}
          hint={words.buildHint}
          value={draft.build}
          onChange={(next) => setDraft({ ...draft, build: next })}
          maxLength={100}
          autoComplete="off"
          required
          autoFocus
        />
        <TextField
          label={words.channel}
          hint={words.channelHint}
          value={draft.channel}
          onChange={(next) => setDraft({ ...draft, channel: next })}
          maxLength={100}
          autoComplete="off"
        />
        <SelectField
          label={words.urgency}
          hint={draft.urgency === FORCED ? words.forcedHint : undefined}
          value={draft.urgency}
          onChange={(urgency) => setDraft({ ...draft, urgency })}
          choices={AVAILABILITIES.map((value) => ({ value: String(value), label: words.urgencies[value]! }))}
        />
      </FieldStack>
    </Dialog>
  );
}
