import { useState } from 'react';
import {
  type FirmwareUpdate,
  useCancelFirmware,
  useCurrentFirmware,
  useFirmwareUpdate,
  useRequestFirmware,
} from '../../../api/commands.ts';
import { t, textFor } from '../../../texts/t.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card, Facts } from '../../../ui/page.tsx';
import { Loaded, problemOf } from '../../../ui/states.tsx';
import { toast } from '../../../ui/toast.tsx';
import { FirmwareDialog } from './firmware-dialog.tsx';

const words = t.deviceFirmware;
/** The device installs it at any time, so the state is polled. */
const EVERY_MS = 15_000;

/** The installed firmware of a device, the requested version, and the progress. */
export function FirmwareCard({ deviceId, mayManage }: { deviceId: number; mayManage: boolean }) {
  const [isAsking, setAsking] = useState(false);
  const current = useCurrentFirmware(deviceId, { refetchInterval: EVERY_MS });
  const update = useFirmwareUpdate(deviceId, { refetchInterval: EVERY_MS });
  const wanted = update.data && buildOf(update.data);
  return (
    <Card
      title={words.title}
      actions={
        mayManage &&
        update.data && (
          <>
            {wanted && <CancelButton deviceId={deviceId} update={update.data} build={wanted} />}
            <Button size="small" icon="download" onClick={() => setAsking(true)}>
              {words.ask}
            </Button>
          </>
        )
      }
    >
      <Loaded query={current}>
        {({ build, channel }) => (
          <Loaded query={update}>
            {(asked) => (
              <Facts
                facts={[
                  [words.current, build ?? words.unknown],
                  [words.channel, channel],
                  [words.wanted, wanted],
                  [
                    words.urgency,
                    wanted && (textFor(words.urgencies, asked.updateAvailability) ?? asked.updateAvailability),
                  ],
                  [words.state, <StateOf key="state" update={asked} />],
                ]}
              />
            )}
          </Loaded>
        )}
      </Loaded>
      {isAsking && <FirmwareDialog deviceId={deviceId} onClose={() => setAsking(false)} />}
    </Card>
  );
}

/** The requested version that is not installed yet; undefined for none. */
const buildOf = ({ pending, pendingName }: FirmwareUpdate): string | undefined =>
  pending !== null ? String(pending) : (pendingName ?? undefined);

function StateOf({ update }: { update: FirmwareUpdate }) {
  if (buildOf(update) === undefined) return <Badge>{words.states.none}</Badge>;
  const { updateRedirects: times } = update;
  return <Badge tone="warn">{times === 0 ? words.states.waiting : words.states.notified({ times })}</Badge>;
}

function CancelButton({ deviceId, update, build }: { deviceId: number; update: FirmwareUpdate; build: string }) {
  const cancel = useCancelFirmware();
  const request = useRequestFirmware();
  const fail = (error: unknown) => toast({ text: problemOf(error), tone: 'danger' });
  const undo = () => {
    const body = { build, availability: update.updateAvailability };
    request.mutateAsync({ id: deviceId, body }).catch(fail);
  };
  const press = async () => {
    try {
      await cancel.mutateAsync({ id: deviceId });
      toast({ text: words.cancelled({ build }), action: { label: words.undo, onPress: undo } });
    } catch (error) {
      fail(error);
    }
  };
  return (
    <Button size="small" kind="quiet" isBusy={cancel.isPending} onClick={() => void press()}>
      {words.cancel}
    </Button>
  );
}
