import type { Messages } from '@trackway/contract/messages/types.ts';
import type { PositionType } from '@trackway/contract/resources/commands/rtk.ts';

/**
 * A report in the product's own terms and units, independent of the protocol: the listeners decode into these types,
 * and the domain receives them. Values are as the device claims them; whether they can be true is decided later.
 */

/** The cell of the mobile network that serves a device. Some devices send only area and cell. */
export interface ServingCell {
  readonly mcc?: number;
  readonly mnc?: number;
  readonly lac?: number;
  readonly cid?: number;
  /** As reported. */
  readonly rssi?: number;
}

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
  readonly cell?: ServingCell;
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
  /** In a gateway's reading: the identifier of the received device. */
  readonly sensorDeviceId?: string;
}

export interface ReportedMessage {
  readonly message?: string;
  readonly config?: string;
  /** The device's own time and number of the message. They identify a repeated message. */
  readonly timestamp?: number;
  readonly correlationId?: string;
}

/** What a device reports of its RTK receiver; absent fields are as they were. */
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
  /** The device's own time. It identifies a repeated line. */
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

/** Another phone, whose place an app shows in addition to its own. */
export interface Friend {
  /** Stable, and without a slash. */
  readonly id: string;
  readonly name: string;
  readonly point: ReportedPoint;
}

/** The key of a reason in the catalog. */
export type QuarantineCode = keyof Messages['quarantine']['reasons'];

export interface UnreadableItem {
  readonly item: unknown;
  readonly reason: string;
  /** For a reason that is in the catalog. */
  readonly code?: QuarantineCode;
}

export interface ImportPart {
  readonly importId: number;
  /** How many positions the import had received before these. */
  readonly receivedBefore: number;
  /** How many were sent, including invalid ones. */
  readonly sent: number;
}

export interface Report {
  readonly points: readonly ReportedPoint[];
  /** About the device itself. */
  readonly readings: readonly ReportedReading[];
  /** Readings about received devices. */
  readonly gatewayReadings: readonly ReportedReading[];
  readonly messages: readonly ReportedMessage[];
  readonly rtk?: ReportedRtk;
  /** What could not be read, and why: for the quarantine. */
  readonly unreadable?: readonly UnreadableItem[];
  /** Whether it was released from quarantine: it does not count as a new report of the device. */
  readonly isReleased?: boolean;
  /** Whether it is imported history: it does not count as a report of the device and sends no notifications. */
  readonly isImported?: boolean;
  /** The import that it is part of: counted together with what is stored. */
  readonly importPart?: ImportPart;
  /** The device's own number of the report. */
  readonly id?: string;
  /** All that the device sent, as text. The same report sent again has the same. */
  readonly asSent?: () => string;
}
