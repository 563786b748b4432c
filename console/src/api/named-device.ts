import { useDevices } from './devices.ts';

/** A device by its id, if the viewer may see it. A deleted or inaccessible device is undefined. */
export function useNamedDevice(id: number | undefined) {
  const { data, isPending } = useDevices({ where: { id: id ?? 0 }, limit: 1 }, { enabled: id !== undefined });
  return { device: data?.[0], isPending: isPending && id !== undefined };
}
