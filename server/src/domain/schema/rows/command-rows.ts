import type { Identified } from './identified.ts';

/** A mode that a device was told to take for a time. */
export interface TransientRow extends Identified {
  deviceId: number;
  type: number;
  /** Minutes. */
  duration: number;
  triggeredAt: number;
  sent: number | null;
  end: number | null;
  sms: number;
  /** The message that tells the device; null where it was deleted. */
  messageId: number | null;
}

/** What is known of a device with a receiver of centimetre accuracy. */
export interface RtkStateRow {
  deviceId: number;
  /** As the device reported it. */
  status: string | null;
  base: string | null;
  /** Without the password. */
  ntrip: string | null;
  ntripPassword: string | null;
  /** The message that brings the settings to the device. */
  ntripMessageId: number | null;
}

export interface RtkCommandRow extends Identified {
  deviceId: number;
  messageId: number;
  commandType: number;
  created: number;
  sent: number | null;
  receivedAck: number | null;
  payload: string | null;
  response: string | null;
  /** The message that brings it to the device; null where it was deleted. */
  waitingId: number | null;
}

export interface RtkLogRow extends Identified {
  deviceId: number;
  timestamp: number;
  msgType: string | null;
  baseStationId: number | null;
  locationType: string | null;
  accuracy: number | null;
  lat: number | null;
  lng: number | null;
  linkQuality: number | null;
  toAddress: string | null;
  fromAddress: string | null;
  info: string | null;
  /** By which a line that is sent again is recognised; null for one without a time of its own. */
  hash: string | null;
}
