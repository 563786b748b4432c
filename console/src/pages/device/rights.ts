import { useRead } from '../../api/calls.ts';
import type { Device } from '../../api/devices.ts';

/** The viewer's rights on a device. */
export interface Rights {
  readonly right: 'view' | 'manage' | 'own';
  readonly mayManage: boolean;
  readonly mayOwn: boolean;
  /** The share that gives the rights. */
  readonly shareId: number | null;
  readonly hasKey: boolean;
}

/** While loading, no actions are offered that the viewer may not perform. */
export function useRights(deviceId: number): Rights {
  const { data } = useRead('getDeviceAccess', { id: deviceId }, { staleTime: 60_000 });
  const right = data?.right ?? 'view';
  return {
    right,
    mayManage: right !== 'view',
    mayOwn: right === 'own',
    shareId: data?.shareId ?? null,
    hasKey: data?.hasKey ?? false,
  };
}

/** The properties of every sheet of a device. */
export interface SheetProps {
  readonly device: Device;
  readonly rights: Rights;
  /** The part of the address after the sheet: a day. */
  readonly detail: string | undefined;
}
