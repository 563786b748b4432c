import { useState } from 'react';
import { useRead } from '../../api/calls.ts';
import { useCreateDevice, useRotateDeviceKey } from '../../api/devices.ts';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { FieldStack, SelectField, TextField } from '../../ui/fields/field.tsx';
import { Notice, problemOf } from '../../ui/states.tsx';

const words = t.track;
const NEW = 'new';

/** A new device, or one that the user manages, with a new key: keys are not stored in a readable form. */
export function ChooseDevice({ onChosen }: { onChosen: (device: { key: string; name: string }) => void }) {
  const [chosen, setChosen] = useState<string>(NEW);
  const [typed, setTyped] = useState('');
  const query = useRead('listWhereabouts', { id: 'me' });
  const devices = query.data ?? [];
  const create = useCreateDevice();
  const rotate = useRotateDeviceKey();
  const problem = query.error ?? create.error ?? rotate.error;
  const isNew = chosen === NEW;
  const name = typed.trim();
  const choose = async () => {
    if (isNew) {
      const { deviceKey } = await create.mutateAsync({ body: { name, type: 'phone' } });
      return onChosen({ key: deviceKey, name });
    }
    const { deviceKey } = await rotate.mutateAsync({ id: Number(chosen) });
    onChosen({ key: deviceKey, name: devices.find(({ deviceId }) => deviceId === Number(chosen))!.name ?? '' });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void choose().catch(() => undefined);
      }}
    >
      <FieldStack>
        {problem && <Notice tone="danger">{problemOf(problem)}</Notice>}
        <SelectField
          label={words.device}
          value={chosen}
          onChange={setChosen}
          choices={[
            { value: NEW, label: words.newDevice },
            ...devices
              .filter(({ right }) => right !== 'view')
              .map(({ deviceId, name }) => ({
                value: String(deviceId),
                label: name || t.device.unnamed({ id: deviceId }),
              })),
          ]}
        />
        {isNew ? (
          <TextField
            label={words.name}
            hint={words.nameHint}
            value={typed}
            onChange={setTyped}
            maxLength={200}
            required
          />
        ) : (
          <Notice tone="warn">{words.newKey}</Notice>
        )}
        <div>
          <Button
            kind="primary"
            type="submit"
            isBusy={create.isPending || rotate.isPending}
            disabled={isNew && name === ''}
          >
            {words.choose}
          </Button>
        </div>
      </FieldStack>
    </form>
  );
}
