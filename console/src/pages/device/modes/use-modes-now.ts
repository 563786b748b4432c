import { readAnew } from '../../../api/calls.ts';
import { useModes } from '../../../api/commands.ts';
import { useLive } from '../../../api/live/live.ts';
import { useNow } from '../../../format/use-format.ts';
import { type ModesNow, modesNow } from './modes-now.ts';

const EVERY_MS = 5000;

/** The current modes of a device; undefined while loading. */
export function useModesNow(deviceId: number): ModesNow | undefined {
  const now = useNow(EVERY_MS);
  const { data } = useModes(deviceId);
  // A device confirms a mode by confirming the message that requested it.
  useLive('message', (message) => {
    if (message.deviceId === deviceId) void readAnew(['listTransients']);
  });
  return data && modesNow(data, Math.max(now, Date.now()));
}
