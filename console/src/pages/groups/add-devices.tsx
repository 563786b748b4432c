import { useMemo, useState } from 'react';
import { call, readAnew } from '../../api/calls.ts';
import { useFleet } from '../../api/live/fleet.ts';
import { type DeviceGroup, GROUP_READS, ME } from '../../api/many/groups.ts';
import { t } from '../../texts/t.ts';
import { ColorDot } from '../../ui/badge.tsx';
import { SearchField } from '../../ui/fields/search-field.tsx';
import { Checkbox } from '../../ui/fields/switch.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { problemOf } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { WindowList } from '../../ui/window-list.tsx';
import css from './groups.module.css';

const words = t.groups;
const ROW_PX = 36;
/** Maximum number per request. */
const AT_ONCE = 1000;

async function inParts(ids: readonly number[], send: (part: number[]) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < ids.length; at += AT_ONCE) await send(ids.slice(at, at + AT_ONCE));
}

/** Adds any number of one's own devices that are not in the group yet, found by name. */
export function AddDevices({
  group,
  inside,
  onClose,
}: {
  group: DeviceGroup;
  inside: readonly number[];
  onClose: () => void;
}) {
  const { devices, version } = useFleet();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: The devices change in place; their version shows it.
  const found = useMemo(() => {
    const members = new Set(inside);
    const wanted = text.trim().toLocaleLowerCase();
    return [...devices.values()]
      .filter(({ id, right, name }) => right === 'own' && !members.has(id) && name.toLocaleLowerCase().includes(wanted))
      .sort((a, b) => a.name.localeCompare(b.name) || a.id - b.id);
  }, [devices, version, inside, text]);
  const allChosen = found.length > 0 && found.every(({ id }) => chosen.has(id));
  const mark = (ids: readonly number[], isOn: boolean) =>
    setChosen((now) => {
      const next = new Set(now);
      for (const id of ids)
        if (isOn) next.add(id);
        else next.delete(id);
      return next;
    });
  const { id: fk } = group;
  const undo = async (ids: readonly number[]) => {
    try {
      await inParts(ids, (part) => call('removeDeviceGroupDevices')({ id: ME, fk, body: { ids: part } }));
    } catch (problem) {
      toast({ text: problemOf(problem), tone: 'danger' });
    }
    await readAnew(GROUP_READS);
  };
  const add = async () => {
    const ids = [...chosen];
    if (ids.length === 0) return;
    setBusy(true);
    setError(undefined);
    try {
      await inParts(ids, (part) => call('addDeviceGroupDevices')({ id: ME, fk, body: { ids: part } }));
      onClose();
      toast({
        text: words.putDone({ count: ids.length }),
        tone: 'good',
        action: { label: words.undo, onPress: () => void undo(ids) },
      });
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
    await readAnew(GROUP_READS);
  };
  return (
    <FormDialog
      title={words.putTitle({ group: group.name })}
      action={words.putAction({ count: chosen.size })}
      error={error}
      isBusy={isBusy}
      isReady={chosen.size > 0}
      onSubmit={() => void add()}
      onClose={onClose}
    >
      <SearchField label={words.pick} value={text} onChange={setText} autoFocus />
      {found.length === 0 ? (
        <p className={css.soft}>{words.noneLeft}</p>
      ) : (
        <>
          <Checkbox
            label={words.pickAll}
            isOn={allChosen}
            onChange={(isOn) =>
              mark(
                found.map(({ id }) => id),
                isOn,
              )
            }
          />
          <div className={css.found} style={{ height: Math.min(found.length, 8) * ROW_PX + 2 }}>
            <WindowList items={found} rowHeight={ROW_PX} itemKey={({ id }) => id} label={words.devices}>
              {({ id, name, color }) => (
                <label className={css.choice}>
                  <input
                    type="checkbox"
                    checked={chosen.has(id)}
                    onChange={({ target }) => mark([id], target.checked)}
                  />
                  <ColorDot color={color} />
                  <span>{name}</span>
                </label>
              )}
            </WindowList>
          </div>
        </>
      )}
    </FormDialog>
  );
}
