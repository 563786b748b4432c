import { useRead } from '../../api/calls.ts';
import type { Device } from '../../api/devices.ts';

/** What the viewer may do with a device, as far as a page has to know. */
export interface Rights {
  readonly right: 'view' | 'manage' | 'own';
  readonly mayManage: boolean;
  readonly mayOwn: boolean;
  /** The share by which they have it. */
  readonly shareId: number | null;
  readonly hasKey: boolean;
}

/** Until the answer is there, nobody is offered what they may not do. */
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

/** What every sheet of a device is given. */
export interface SheetProps {
  readonly device: Device;
  readonly rights: Rights;
  /** What stands in the address behind the sheet: a day. */
  readonly detail: string | undefined;
}
