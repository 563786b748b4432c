import type { DeviceEvent } from './device-events.ts';

/** The fields of a device that tell about its SIM card, and what their change is called. */
const SIM_FIELDS = [
  { field: 'iccid', type: 'sim/iccid', description: 'The number of the SIM card changed.' },
  { field: 'imsi', type: 'sim/imsi', description: 'The subscriber number of the SIM card changed.' },
  { field: 'simstate', type: 'sim/state', description: 'The state of the SIM card changed.' },
] as const;

/** Numbers are shown by their last digits. */
const SHOWN_DIGITS = 4;

type Fields = Readonly<Record<string, unknown>>;

/** What changes about the SIM card where a device is changed. */
export function simEvents(deviceId: number, before: object, values: Fields): DeviceEvent[] {
  const old = before as Fields;
  return SIM_FIELDS.filter(
    ({ field }) => values[field] !== undefined && (values[field] ?? null) !== (old[field] ?? null),
  ).map(({ field, type, description }) => ({
    deviceId,
    type,
    description,
    meta: { from: shown(field, old[field]), to: shown(field, values[field]) },
  }));
}

const shown = (field: (typeof SIM_FIELDS)[number]['field'], value: unknown): string | undefined =>
  typeof value !== 'string' ? undefined : field === 'simstate' ? value : `…${value.slice(-SHOWN_DIGITS)}`;
