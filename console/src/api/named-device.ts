import { useDevices } from './devices.ts';

/** A device by its id, where the viewer may see it. One that is gone, or was never theirs, is simply not there. */
export function useNamedDevice(id: number | undefined) {
  const { data, isPending } = useDevices({ where: { id: id ?? 0 }, limit: 1 }, { enabled: id !== undefined });
  return { device: data?.[0], isPending: isPending && id !== undefined };
}
