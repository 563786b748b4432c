import { useState } from 'react';
import { call } from '../../../api/calls.ts';
import type { FleetDevice } from '../../../api/live/fleet-device.ts';
import { t } from '../../../texts/t.ts';
import { SelectField, TextField } from '../../../ui/fields/field.tsx';
import { tagChoices } from '../tag-filter.ts';
import { BulkDialog, type TakeBack } from './bulk-dialog.tsx';

const words = t.deviceList;

export interface BulkProps {
  readonly devices: readonly FleetDevice[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

const nameOf = (tag: string) => tag.split(':', 1)[0]!;

/** Changes one device, and returns its previous tags for undoing. */
async function edit({ id, tags }: FleetDevice, change: { tag?: string; originalTagKey?: string }): Promise<TakeBack> {
  const before = [...tags];
  await call('changeTags')({ body: { ids: [id], tagEdits: [change] } });
  return () => call('updateDevice')({ id, body: { tags: before } });
}

export function TagDialog(props: BulkProps) {
  const [tag, setTag] = useState('');
  return (
    <BulkDialog
      {...props}
      title={words.tag}
      isReady={/^[^:]/.test(tag.trim())}
      run={(device) => edit(device, { tag: tag.trim() })}
    >
      <TextField
        label={words.tagField}
        hint={words.tagHint}
        value={tag}
        onChange={setTag}
        maxLength={100}
        required
        autoFocus
      />
    </BulkDialog>
  );
}

export function UntagDialog(props: BulkProps) {
  const choices = [...new Set(tagChoices(props.devices).map(nameOf))];
  const [name, setName] = useState(choices[0] ?? '');
  return (
    <BulkDialog
      {...props}
      title={words.untag}
      isReady={name !== ''}
      run={(device) => edit(device, { originalTagKey: name })}
    >
      <SelectField
        label={words.tagField}
        value={name}
        onChange={setName}
        choices={choices.map((value) => ({ value, label: value }))}
      />
    </BulkDialog>
  );
}
