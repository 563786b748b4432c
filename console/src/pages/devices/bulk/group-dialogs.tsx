import { useRef, useState } from 'react';
import { call } from '../../../api/calls.ts';
import { branchesOf, type DeviceGroup, ME, useGroupMembers, useGroups } from '../../../api/many/groups.ts';
import { t } from '../../../texts/t.ts';
import { SelectField, TextField } from '../../../ui/fields/field.tsx';
import { Notice } from '../../../ui/states.tsx';
import { BulkDialog } from './bulk-dialog.tsx';
import type { BulkProps } from './tag-dialogs.tsx';

const words = t.deviceList;
const NONE: readonly DeviceGroup[] = [];
const NEW = 'new';

/** The groups that devices can be added to, as a tree. */
const ownBranches = (groups: readonly DeviceGroup[]) => branchesOf(groups).filter(({ group }) => group.right === 'own');
const choiceOf = ({ group: { id, name }, level }: ReturnType<typeof branchesOf>[number]) => ({
  value: String(id),
  label: `${'\u2003'.repeat(level)}${name}`,
});

const put = (fk: number, deviceId: number) => call('addDeviceGroupDevices')({ id: ME, fk, body: { ids: [deviceId] } });
const take = (fk: number, deviceId: number) =>
  call('removeDeviceGroupDevices')({ id: ME, fk, body: { ids: [deviceId] } });

/** The devices that are already in a group. */
async function membersOf(fk: number): Promise<ReadonlySet<number>> {
  return new Set((await call('listDeviceGroupDevices')({ id: ME, fk, below: false })).deviceIds);
}

interface Target {
  readonly groupId: number;
  readonly before: ReadonlySet<number>;
  /** For a group created by this action: deletes it, once for all devices. */
  readonly unmake?: () => Promise<unknown>;
}

async function makeTarget(name: string): Promise<Target> {
  const { id: fk } = await call('createDeviceGroup')({ id: ME, body: { name } });
  let unmaking: Promise<unknown> | undefined;
  const unmake = () => {
    unmaking ??= call('deleteDeviceGroup')({ id: ME, fk });
    return unmaking;
  };
  return { groupId: fk, before: new Set(), unmake };
}

export function GroupDialog(props: BulkProps) {
  const groups = useGroups();
  const own = ownBranches(groups.data ?? NONE);
  const [chosen, setChosen] = useState<string>();
  const [name, setName] = useState('');
  const into = chosen ?? (own[0] ? String(own[0].group.id) : NEW);
  // Shared by all devices: the first one finds or creates it.
  const target = useRef<Promise<Target>>(undefined);
  const findTarget = async (): Promise<Target> =>
    into === NEW ? makeTarget(name.trim()) : { groupId: Number(into), before: await membersOf(Number(into)) };
  return (
    <BulkDialog
      {...props}
      title={words.intoGroup}
      needs="own"
      isReady={groups.data !== undefined && (into !== NEW || name.trim() !== '')}
      run={async ({ id }) => {
        target.current ??= findTarget();
        const { groupId, before, unmake } = await target.current;
        await put(groupId, id);
        if (before.has(id)) return undefined;
        return unmake ?? (() => take(groupId, id));
      }}
    >
      <SelectField
        label={words.group}
        value={into}
        onChange={setChosen}
        choices={[...own.map(choiceOf), { value: NEW, label: t.groups.newTitle }]}
      />
      {into === NEW && (
        <TextField
          label={words.groupName}
          placeholder={t.groups.namePlaceholder}
          value={name}
          onChange={setName}
          maxLength={200}
          required
        />
      )}
    </BulkDialog>
  );
}

export function UngroupDialog(props: BulkProps) {
  const groups = useGroups().data ?? NONE;
  const members = useGroupMembers();
  const selected = new Set(props.devices.map(({ id }) => id));
  const holding = new Set(
    (members.data ?? []).flatMap(({ groupId, deviceId }) => (selected.has(deviceId) ? [groupId] : [])),
  );
  const own = ownBranches(groups).filter(({ group }) => holding.has(group.id));
  const [chosen, setChosen] = useState<string>();
  const from = own.find(({ group }) => String(group.id) === chosen)?.group ?? own[0]?.group;
  const inside = new Set(
    (members.data ?? []).flatMap(({ groupId, deviceId }) => (groupId === from?.id ? [deviceId] : [])),
  );
  return (
    <BulkDialog
      {...props}
      devices={props.devices.filter(({ id }) => inside.has(id))}
      title={words.outOfGroup}
      needs="own"
      isReady={from !== undefined}
      run={async ({ id }) => {
        await take(from!.id, id);
        return () => put(from!.id, id);
      }}
    >
      {members.data && from === undefined && <Notice tone="info">{words.inNoGroup}</Notice>}
      {from && (
        <SelectField label={words.group} value={String(from.id)} onChange={setChosen} choices={own.map(choiceOf)} />
      )}
    </BulkDialog>
  );
}
