import type { PositionType } from '@trackway/contract/resources/commands/rtk.ts';

/**
 * A report in the product's own terms and units, independent of the protocol: the listeners decode into these types,
 * and the domain receives them. Values are as the device claims them; whether they can be true is decided later.
 */

export interface ReportedPoint {
  /** Epoch milliseconds of the fix; absent if the device gave no time and none may be assumed. */
  readonly timestamp?: number;
  /** Whether the device gave no time, and that of the reception is assumed. */
  readonly isTimeAssumed?: boolean;
  /** Absent in a status report. */
  readonly location?: { readonly lat: number; readonly lng: number };
  readonly speedKmh?: number;
  readonly altitudeM?: number;
  readonly courseDeg?: number;
  readonly accuracyM?: number;
  readonly locationType?: 'gps' | 'wifi' | 'gsm' | 'invalid' | 'gateway';
  readonly sats?: number;
  readonly hdop?: number;
  readonly batteryPct?: number;
  readonly batteryVoltage?: number;
  /** 255 = charging. */
  readonly averageCharge?: number;
  readonly sendReason?: number;
  readonly alertType?: number;
  readonly mode?: number;
  readonly gsmSignal?: number;
  readonly address?: string;
  readonly correlationId?: string;
  readonly stringValue?: string;
  /** Of this transmission. */
  readonly currentUsedUah?: number;
  /** As sent. */
  readonly numValue?: string;
}

export interface ReportedReading {
  readonly timestamp?: number;
  readonly isTimeAssumed?: boolean;
  readonly type: string;
  readonly value: unknown;
  readonly rssi?: number;
  readonly meta?: Record<string, unknown>;
  readonly correlationId?: string;
  /** In a gateway's reading: the identifier of the device it heard. */
  readonly sensorDeviceId?: string;
}

export interface ReportedMessage {
  readonly message?: string;
  readonly config?: string;
  /** The device's own time and number of the message, by which it is recognised when it is sent again. */
  readonly timestamp?: number;
  readonly correlationId?: string;
}

/** What a device says of its RTK receiver; absent fields are as they were. */
export interface ReportedRtk {
  readonly positionType: PositionType;
  readonly location?: { readonly lat: number; readonly lng: number };
  readonly accuracy?: number;
  readonly currentBaseId?: number;
  readonly msgMask?: number;
  readonly group?: string;
  readonly log: readonly RtkLogLine[];
}

export interface RtkLogLine {
  /** The device's own time, by which a line that is sent again is recognised. */
  readonly timestamp?: number;
  readonly msgType: string | null;
  readonly baseStationId: number | null;
  readonly locationType: PositionType | null;
  readonly accuracy: number | null;
  readonly lat: number | null;
  readonly lng: number | null;
  readonly linkQuality: number | null;
  readonly toAddress: string | null;
  readonly fromAddress: string | null;
  readonly info: string | null;
}

export interface UnreadableItem {
  readonly item: unknown;
  readonly reason: string;
}

export interface ImportPart {
  readonly importId: number;
  /** How many positions the import had received before these. */
  readonly receivedBefore: number;
  /** How many were sent, with those that cannot be right. */
  readonly sent: number;
}

export interface Report {
  readonly points: readonly ReportedPoint[];
  /** About the device itself. */
  readonly readings: readonly ReportedReading[];
  /** About the devices it heard. */
  readonly gatewayReadings: readonly ReportedReading[];
  readonly messages: readonly ReportedMessage[];
  readonly rtk?: ReportedRtk;
  /** What could not be read, and why: for the quarantine. */
  readonly unreadable?: readonly UnreadableItem[];
  /** Whether it was released from quarantine: it stands for no report that has just come. */
  readonly isReleased?: boolean;
  /** Whether it is history that somebody imports: the device was not heard, and nobody is told. */
  readonly isImported?: boolean;
  /** The import that it is part of: counted together with what is stored. */
  readonly importPart?: ImportPart;
  /** The device's own number of the report. */
  readonly id?: string;
  /** All that the device sent, as text. The same report sent again has the same. */
  readonly asSent?: () => string;
}
