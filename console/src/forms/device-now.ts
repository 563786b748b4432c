import type { DeviceNow } from '../api/live/fleet-device.ts';
import { t } from '../texts/t.ts';
import type { Tone } from '../ui/badge.tsx';

/** The state of a device: "Moving", or "Was moving" if that is some minutes old. */
export const wordOfNow = ({ state, isPast }: DeviceNow): string => (isPast ? t.map.wasMoving : t.map[state]);

export const toneOfNow = ({ state, isPast }: DeviceNow): Tone =>
  state === 'moving' ? (isPast ? 'plain' : 'good') : state === 'stopped' ? 'info' : 'plain';
