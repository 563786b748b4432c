import type { Device } from '../../api/devices.ts';
import { t } from '../../texts/t.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { type State, useDeviceState } from './device-now.ts';

const TONES: Record<State, Tone> = { moving: 'good', stopped: 'info', offline: 'plain', silent: 'plain' };

export function StateBadge({ device }: { device: Device }) {
  const state = useDeviceState(device);
  return (
    <Badge tone={TONES[state]} hasDot>
      {t.device.states[state]}
    </Badge>
  );
}
