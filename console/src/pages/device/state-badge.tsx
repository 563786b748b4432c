import type { Device } from '../../api/devices.ts';
import { toneOfNow, wordOfNow } from '../../forms/device-now.ts';
import { t } from '../../texts/t.ts';
import { Badge } from '../../ui/badge.tsx';
import { useDeviceNow } from './device-now.ts';

export function StateBadge({ device }: { device: Device }) {
  const doing = useDeviceNow(device);
  return (
    <Badge tone={doing ? toneOfNow(doing) : 'plain'} hasDot>
      {doing ? wordOfNow(doing) : t.device.states.silent}
    </Badge>
  );
}
