import { t } from '../../../texts/t.ts';
import { Badge } from '../../../ui/badge.tsx';
import { FLIGHT, modeInWords } from './mode-words.ts';
import { useModesNow } from './use-modes-now.ts';

/** Shows that the radio is off next to the state of a device, because it explains missing reports. */
export function ModeBadge({ deviceId }: { deviceId: number }) {
  const modes = useModesNow(deviceId);
  const active = modes?.active?.type === FLIGHT ? modes.active : undefined;
  const waiting = modes?.waiting.find(({ type }) => type === FLIGHT);
  return (
    <>
      {active && <Badge tone="info">{modeInWords(active)}</Badge>}
      {waiting && <Badge tone="plain">{`${modeInWords(waiting)}: ${t.deviceModes.waiting.toLowerCase()}`}</Badge>}
    </>
  );
}
