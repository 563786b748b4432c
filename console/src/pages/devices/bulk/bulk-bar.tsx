import { type ComponentType, useState } from 'react';
import type { FleetDevice } from '../../../api/live/fleet-device.ts';
import { useGroups } from '../../../api/many/groups.ts';
import { t } from '../../../texts/t.ts';
import { Button } from '../../../ui/button.tsx';
import type { IconName } from '../../../ui/icons.ts';
import { Menu } from '../../../ui/menu.tsx';
import css from './bulk.module.css';
import { GroupDialog, UngroupDialog } from './group-dialogs.tsx';
import { ConfigDialog, DeleteDialog, KeylessDialog, PlanDialog, ShareDialog, TriggerDialog } from './more-dialogs.tsx';
import { type BulkProps, TagDialog, UntagDialog } from './tag-dialogs.tsx';

const words = t.deviceList;

const ACTIONS = {
  tag: { icon: 'plus', dialog: TagDialog },
  untag: { icon: 'minus', dialog: UntagDialog },
  intoGroup: { icon: 'layers', dialog: GroupDialog },
  outOfGroup: { icon: 'minus', dialog: UngroupDialog },
  trigger: { icon: 'bell', dialog: TriggerDialog },
  share: { icon: 'share', dialog: ShareDialog },
  plan: { icon: 'plan', dialog: PlanDialog },
  config: { icon: 'copy', dialog: ConfigDialog },
  keyless: { icon: 'check', dialog: KeylessDialog },
  delete: { icon: 'trash', dialog: DeleteDialog },
} as const satisfies Record<string, { icon: IconName; dialog: ComponentType<BulkProps> }>;
type ActionName = keyof typeof ACTIONS;

/** Actions on the selected devices. */
export function BulkBar({ devices, onClear }: { devices: readonly FleetDevice[]; onClear: () => void }) {
  const [open, setOpen] = useState<ActionName>();
  const hasTags = devices.some(({ tags }) => tags.length > 0);
  const hasMembers = (useGroups().data ?? []).some(({ right, deviceCount }) => right === 'own' && deviceCount > 0);
  const names = (Object.keys(ACTIONS) as ActionName[]).filter(
    (name) => (name !== 'untag' || hasTags) && (name !== 'outOfGroup' || hasMembers),
  );
  const OpenDialog = open && ACTIONS[open].dialog;
  return (
    <div className={css.bar}>
      <span role="status">{words.selected({ count: devices.length })}</span>
      <Menu
        label={words.actions}
        opens="down-right"
        items={names.map((name) => ({
          label: words[name],
          icon: ACTIONS[name].icon,
          ...(name === 'delete' && { isDangerous: true, begins: true }),
          onPress: () => setOpen(name),
        }))}
        button={(props) => (
          <Button size="small" kind="primary" icon="down" {...props}>
            {words.actions}
          </Button>
        )}
      />
      <Button size="small" kind="quiet" icon="close" onClick={onClear}>
        {words.clear}
      </Button>
      {OpenDialog && <OpenDialog devices={devices} onClose={() => setOpen(undefined)} onDone={onClear} />}
    </div>
  );
}
