import { useState } from 'react';
import { useSendCommand } from '../../../api/messages.ts';
import { useFormat } from '../../../format/use-format.ts';
import { t } from '../../../texts/t.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { FieldStack } from '../../../ui/fields/field.tsx';
import { Checkbox } from '../../../ui/fields/switch.tsx';
import { Notice, problemOf } from '../../../ui/states.tsx';
import { toast } from '../../../ui/toast.tsx';
import { words as common } from '../../../ui/words.ts';

const words = t.deviceCommands;
/** Maximum speed for the server to stop an engine. */
const MOST_KMH = 20;

/** Asks twice. Stopping at any speed is a separate option, which the second question repeats. */
export function EngineStopDialog({ deviceId, name, onClose }: { deviceId: number; name: string; onClose: () => void }) {
  const [isForced, setForced] = useState(false);
  const [isSure, setSure] = useState(false);
  const speed = useFormat().speed(MOST_KMH);
  if (isSure)
    return (
      <SureDialog key="sure" deviceId={deviceId} name={name} speed={speed} isForced={isForced} onClose={onClose} />
    );
  return (
    <Dialog
      key="ask"
      title={words.commands.engineStop.title({ device: name })}
      onClose={onClose}
      width="narrow"
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="danger" onClick={() => setSure(true)}>
            {words.commands.engineStop.action}
          </Button>
        </>
      }
    >
      <FieldStack>
        <p>{words.commands.engineStop.text}</p>
        <p>{words.stop.checked({ speed })}</p>
        <Checkbox label={words.stop.force} hint={words.stop.forceHint} isOn={isForced} onChange={setForced} />
        {isForced && <Notice tone="danger">{words.stop.forceWarning}</Notice>}
      </FieldStack>
    </Dialog>
  );
}

function SureDialog({
  deviceId,
  name,
  speed,
  isForced,
  onClose,
}: {
  deviceId: number;
  name: string;
  speed: string;
  isForced: boolean;
  onClose: () => void;
}) {
  const send = useSendCommand();
  const stop = async () => {
    try {
      await send.mutateAsync({ id: deviceId, body: { command: 'engineStop', force: isForced } });
      toast({ text: words.sent, tone: 'good' });
      onClose();
    } catch {
      // The notice in the dialog shows the error.
    }
  };
  return (
    <Dialog
      title={words.stop.sureTitle({ device: name })}
      onClose={onClose}
      width="narrow"
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="danger" isBusy={send.isPending} onClick={() => void stop()}>
            {isForced ? words.stop.forcedAction : words.stop.action}
          </Button>
        </>
      }
    >
      <FieldStack>
        {send.error && <Notice tone="danger">{problemOf(send.error)}</Notice>}
        {isForced && <Notice tone="danger">{words.stop.forceWarning}</Notice>}
        <p>{isForced ? words.stop.sureForced({ device: name }) : words.stop.sure({ speed })}</p>
      </FieldStack>
    </Dialog>
  );
}
