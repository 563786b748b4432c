import type { Forwarder } from './forwarder-row.ts';
import type { StoredNotification } from './presented.ts';

/** What happened to one device in one transaction, as far as it may have to be sent. */
export interface ToSend {
  readonly deviceId: number;
  readonly forwarders: readonly Forwarder[];
  /** Stored just now. */
  readonly points?: readonly (object & { readonly id: number; readonly timestamp: number })[];
  readonly readings?: readonly SentReading[];
  /** Messages from the device, as the API shows them. */
  readonly messages?: readonly object[];
  readonly notifications?: readonly StoredNotification[];
  /** Notifications that were retracted. */
  readonly retracted?: readonly { readonly id: number; readonly status: string; readonly reason: string }[];
}

export interface SentReading {
  readonly id: number;
  readonly timestamp: number;
  readonly type: string;
  readonly gatewayId: number | null;
  readonly deviceId: number | null;
  readonly datapointId: number | null;
}
