import { type ReactNode, useRef, useState } from 'react';
import { readAnew } from '../../../api/calls.ts';
import { readFleet } from '../../../api/live/fleet.ts';
import type { FleetDevice } from '../../../api/live/fleet-device.ts';
import { GROUP_READS } from '../../../api/many/groups.ts';
import { count } from '../../../format/quantities.ts';
import { t } from '../../../texts/t.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { FieldStack } from '../../../ui/fields/field.tsx';
import { Notice, problemOf } from '../../../ui/states.tsx';
import { toast } from '../../../ui/toast.tsx';
import { words as common } from '../../../ui/words.ts';
import css from './bulk.module.css';
import { type Outcome, runAll } from './run-all.ts';

const words = t.deviceList;
const MOST_NAMED = 20;

/** Undoes the action on a device; undefined if that is impossible. */
export type TakeBack = (() => Promise<unknown>) | undefined;

/** An action on many devices: asks, shows the progress, and lists errors by device. */
export function BulkDialog({
  title,
  devices,
  needs = 'manage',
  action = words.apply,
  isReady,
  isDangerous,
  run,
  onClose,
  onDone,
  children,
}: {
  title: string;
  devices: readonly FleetDevice[];
  /** Devices without this right are left out. */
  needs?: 'manage' | 'own';
  action?: string;
  isReady: boolean;
  isDangerous?: boolean;
  run: (device: FleetDevice) => Promise<TakeBack>;
  onClose: () => void;
  /** Called if all succeeded. */
  onDone: () => void;
  children: ReactNode;
}) {
  const able = devices.filter(({ right }) => right === 'own' || (needs === 'manage' && right === 'manage'));
  const [finished, setFinished] = useState<number>();
  const [outcome, setOutcome] = useState<Outcome<FleetDevice, TakeBack>>();
  const stop = useRef(new AbortController());
  const isRunning = finished !== undefined && outcome === undefined;

  const start = async () => {
    setFinished(0);
    const { signal } = stop.current;
    const result = await runAll(able, run, { onProgress: setFinished, signal });
    setOutcome(result);
    changedDevices();
    offerUndo(words.succeeded({ count: result.done.length }), result.done);
    if (result.failed.length === 0 && result.left.length === 0) {
      onDone();
      onClose();
    }
  };
  const close = () => {
    stop.current.abort();
    onClose();
  };
  return (
    <Dialog
      title={title}
      onClose={close}
      onSubmit={() => void start()}
      actions={
        outcome ? (
          <Button onClick={close}>{words.close}</Button>
        ) : (
          <>
            <Button onClick={isRunning ? () => stop.current.abort() : close}>
              {isRunning ? words.stop : common.cancel}
            </Button>
            <Button
              kind={isDangerous ? 'danger' : 'primary'}
              type="submit"
              isBusy={isRunning}
              disabled={!isReady || able.length === 0}
            >
              {action}
            </Button>
          </>
        )
      }
    >
      {outcome ? (
        <Reported outcome={outcome} />
      ) : isRunning ? (
        <Progress finished={finished} all={able.length} />
      ) : (
        <FieldStack>
          {able.length < devices.length && (
            <Notice tone="warn">{words.notYours({ count: devices.length - able.length })}</Notice>
          )}
          {children}
        </FieldStack>
      )}
    </Dialog>
  );
}

export const Progress = ({ finished, all }: { finished: number; all: number }) => (
  <div className={css.progress} role="status">
    <progress max={all} value={finished} aria-label={words.progress({ done: count(finished), all: count(all) })} />
    <span>{words.progress({ done: count(finished), all: count(all) })}</span>
  </div>
);

function Reported({ outcome: { done, failed, left } }: { outcome: Outcome<FleetDevice, TakeBack> }) {
  return (
    <FieldStack>
      <p>{words.succeeded({ count: done.length })}</p>
      {left.length > 0 && <p>{words.left({ count: left.length })}</p>}
      {failed.length > 0 && (
        <Notice tone="danger">
          {words.failed({ count: failed.length })}
          <ul className={css.failures}>
            {failed.slice(0, MOST_NAMED).map(({ item, error }) => (
              <li key={item.id}>
                {item.name}: {problemOf(error)}
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </FieldStack>
  );
}

/** Invalidates everything that shows devices. */
export function changedDevices(): void {
  void readFleet();
  void readAnew([
    ...(['listDevices', 'getDevice', 'countDevices', 'listShares', 'listNotificationTriggers'] as const),
    ...GROUP_READS,
    ...(['getDeviceConfig', 'getDevicePlan', 'summarizePlans', 'listDeletedDevices'] as const),
  ]);
}

export function offerUndo(text: string, done: readonly TakeBack[]): void {
  const back = done.filter((one) => one !== undefined);
  const undo = async () => {
    const { failed } = await runAll(back, (takeBack) => takeBack());
    changedDevices();
    if (failed.length > 0) toast({ text: words.undoFailed({ count: failed.length }), tone: 'danger' });
    else toast({ text: words.undone, tone: 'good' });
  };
  toast({
    text,
    tone: 'good',
    ...(back.length > 0 && { action: { label: words.undo, onPress: () => void undo() } }),
  });
}
