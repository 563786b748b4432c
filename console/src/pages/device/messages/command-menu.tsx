import { COMMANDS, type Command } from '@trackway/contract/resources/message.ts';
import { useState } from 'react';
import { type Device, useDevice } from '../../../api/devices.ts';
import { useReleaseCommandChannel, useSendCommand } from '../../../api/messages.ts';
import { t } from '../../../texts/t.ts';
import { ActDialog } from '../../../ui/act-dialog.tsx';
import { Button } from '../../../ui/button.tsx';
import type { IconName } from '../../../ui/icons.ts';
import { Menu } from '../../../ui/menu.tsx';
import { problemOf } from '../../../ui/states.tsx';
import { toast } from '../../../ui/toast.tsx';
import { nameOf } from '../name-of.ts';
import { CommandDialog } from './command-dialog.tsx';
import css from './command-menu.module.css';
import { EngineStopDialog } from './engine-stop-dialog.tsx';

const words = t.deviceCommands;
const ICONS: Readonly<Record<Command, IconName>> = {
  position: 'target',
  reboot: 'refresh',
  interval: 'clock',
  engineStop: 'lock',
  engineResume: 'car',
  output: 'settings',
  alarmArm: 'bell',
};

/** Interval of checks whether a device has started to use a tracker protocol. */
const LOOK_MS = 30_000;

/** The commands that the protocol of a tracker supports. Renders nothing if there are none. */
export function CommandMenu({ device, mayOwn }: { device: Device; mayOwn: boolean }) {
  const [isReleasing, setReleasing] = useState(false);
  const release = useReleaseCommandChannel();
  const [asked, setAsked] = useState<Exclude<Command, 'position'>>();
  const send = useSendCommand();
  useDevice(device.id, device.supportedCommands === null ? { refetchInterval: LOOK_MS } : {});
  const commands = COMMANDS.filter((command) => device.supportedCommands?.includes(command));
  if (commands.length === 0) return null;
  const close = () => setAsked(undefined);
  const askPosition = async () => {
    try {
      await send.mutateAsync({ id: device.id, body: { command: 'position' } });
      toast({ text: words.sent, tone: 'good' });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };
  return (
    <div className={css.strip}>
      <Menu
        label={words.send}
        items={[
          ...commands.map((command) => ({
            label: words.commands[command].label,
            icon: ICONS[command],
            isDangerous: command === 'engineStop',
            onPress: () => (command === 'position' ? void askPosition() : setAsked(command)),
          })),
          ...(mayOwn
            ? [{ label: words.release, icon: 'wrench', begins: true, onPress: () => setReleasing(true) } as const]
            : []),
        ]}
        button={(props) => (
          <Button size="small" icon="terminal" isBusy={send.isPending} {...props}>
            {words.send}
          </Button>
        )}
      />
      {isReleasing && (
        <ActDialog
          title={words.releaseTitle({ device: nameOf(device) })}
          action={words.releaseAction}
          done={words.released}
          act={() => release.mutateAsync({ id: device.id })}
          onClose={() => setReleasing(false)}
        >
          {words.releaseText}
        </ActDialog>
      )}
      {asked === 'engineStop' ? (
        <EngineStopDialog deviceId={device.id} name={nameOf(device)} onClose={close} />
      ) : (
        asked && <CommandDialog deviceId={device.id} name={nameOf(device)} command={asked} onClose={close} />
      )}
    </div>
  );
}
