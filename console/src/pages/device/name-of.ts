import type { Device } from '../../api/devices.ts';
import { t } from '../../texts/t.ts';

export const nameOf = (device: Pick<Device, 'id' | 'name'>) => device.name || t.device.unnamed({ id: device.id });
