import type { LOCATION_TYPES } from '@trackway/contract/resources/point.ts';
import type { Generated } from 'kysely';
import type { Identified } from './device-rows.ts';

export interface GatewayReadingRow extends Identified {
  /** The device that reported it, with whose rows it is stored: the gateway, or else the device itself. */
  reporterId: number;
  gatewayId: number | null;
  deviceId: number | null;
  timestamp: number;
  type: string;
  value: string;
  rssi: Generated<number | null>;
  meta: Generated<string | null>;
  hash: string | null;
  created: number;
  relatedId: Generated<number | null>;
  correlationId: Generated<string | null>;
  sensorDeviceId: Generated<string | null>;
  datapointId: Generated<number | null>;
}

export interface PointRow extends Identified {
  deviceId: number;
  timestamp: number;
  created: number;
  locationLat: number | null;
  locationLng: number | null;
  speed: number | null;
  altitude: number | null;
  course: number | null;
  accuracy: number | null;
  locationType: (typeof LOCATION_TYPES)[number];
  sats: Generated<number | null>;
  hdop: Generated<number | null>;
  batteryPct: number | null;
  batteryVoltage: number | null;
  averageCharge: Generated<number | null>;
  sendReason: Generated<number | null>;
  mode: number | null;
  alertType: number | null;
  gsmSignal: Generated<number | null>;
  address: Generated<string | null>;
  correlationId: Generated<string | null>;
  stringValue: Generated<string | null>;
  currentUsed: Generated<number | null>;
  num_value: Generated<string | null>;
  /** Null as it should be; implausible, or tooOld to be evaluated. */
  judged: 'implausible' | 'tooOld' | null;
  /** The gateways that located it, as JSON: see `sighted-place.ts`. */
  locatingGateways: Generated<string | null>;
  /** 1 if gateways located it: what they report later corrects it. */
  isLocatedByGateways: Generated<number>;
  /** The identity of the position as it was reported, if it was changed since: see `positions/identity.ts`. */
  reportedHash: Generated<string | null>;
  /** The serving cell, as JSON. */
  cell: Generated<string | null>;
}

/** The stored form of a position: see `positions/encode.ts`. */
export interface PositionRow extends Identified {
  deviceId: number;
  timestamp: number;
  kind: number | null;
}

/** Packed positions of a device. Segments of one device do not overlap in time. */
export interface SegmentRow extends Identified {
  deviceId: number;
  /** The times of the first and the last of them. */
  firstAt: number;
  lastAt: number;
  count: number;
  /** The smallest and the largest of their ids. */
  lowId: number;
  highId: number;
  /** When the first and the last of them were received. */
  firstReceivedAt: number;
  lastReceivedAt: number;
  /** Where they all lie; null where none has a location. */
  south: number | null;
  west: number | null;
  north: number | null;
  east: number | null;
  /** PostgreSQL gives bytes as text: see `bytesOf` in `platform/packing`. */
  data: Uint8Array | string;
}

export interface ReadingSegmentRow extends Identified {
  /** As in the rows that they were. */
  reporterId: number;
  /** The gateway that reported them; null if the device did itself. */
  gatewayId: number | null;
  /** The device that they are about; null where none is known. */
  deviceId: number | null;
  /** The times of the first and the last of them. */
  firstAt: number;
  lastAt: number;
  count: number;
  /** The smallest and the largest of their ids. */
  lowId: number;
  highId: number;
  types: string;
  data: Uint8Array | string;
}

/** Readings that a gateway stored, for a device of another server. */
export interface ReadingRelayRow extends Identified {
  /** The gateway. */
  deviceId: number;
  /** The device that the readings are about. */
  otherDeviceId: number;
  /** JSON: see `Relayed` in `tracking/relay-readings.ts`. */
  content: string;
  /** When the gateway reported them. */
  created: number;
}

export interface DeviceStateRow {
  deviceId: number;
  /** The newest fix time that was appended. */
  newestAt: number | null;
  /** From when on the inputs must be evaluated again: the work that waits. */
  lateFrom: number | null;
  /** Whether inputs that came in order wait to be evaluated, since they were too many for one transaction. */
  hasBacklog: Generated<number>;
  /** From when on a replay is evaluating: moved here from `lateFrom`, where only later input is noted meanwhile. */
  replayFrom: Generated<number | null>;
  /** Which replay that is, and until when no other replay may begin. */
  replayBy: Generated<string | null>;
  replayUntil: Generated<number | null>;
  /** Another number whenever something was appended or the row was written. */
  version: Generated<number>;
  /** When the clock alone changes something, or will not be contradicted any more. */
  dueAt: number | null;
  /** Changes with the triggers and the shares of the device. */
  rulesVersion: Generated<number>;
  reportedAt: number | null;
  /** Until when its position was computed from sightings by gateways; null if there was none. */
  placedUntil: Generated<number | null>;
  /** While history is imported: from when on what came of it must be evaluated, or later than everything. */
  importFrom: Generated<number | null>;
  /** Whether the late mark is that of imported history, which is evaluated in slices. */
  isRebuilding: Generated<number>;
  /** Days that its history is stored, by the device or its plan, when last read; null for the setting of the server. */
  keepDays: Generated<number | null>;
  /** Positions before this are forgotten but for the newest: nothing is evaluated again from before it. */
  forgottenUntil: Generated<number | null>;
  /** Positions before this are thinned: nothing is evaluated again from before it. */
  thinnedUntil: Generated<number | null>;
  /** What no statement searches for, as JSON: see `tracking/evaluate/device-state.ts`. `{}` before anything was evaluated. */
  state: string;
}

/** A history of a device that is being imported, or was. */
export interface HistoryImportRow extends Identified {
  deviceId: number;
  userId: number | null;
  name: string | null;
  format: string | null;
  status: 'open' | 'judging' | 'done';
  /** How many items were sent, and what became of them. */
  received: number;
  stored: number;
  duplicates: number;
  refused: number;
  firstAt: number | null;
  lastAt: number | null;
  created: number;
  touchedAt: number;
  ended: number | null;
}

/** A minute whose position must be computed again: gateways received the device, or data that locates it changed. */
export interface PlaceQueueRow {
  deviceId: number;
  /** Since 1970. */
  minute: number;
  /** Positions before this do not change. */
  changesFrom: number;
  /** When the position is due to be computed, by the server's clock. */
  dueAt: number;
}

export interface CheckpointRow {
  deviceId: number;
  at: number;
  state: string;
}

export interface TripRow extends Identified {
  deviceId: number;
  start: number;
  end: number;
  distance: number;
  duration: number;
  idle: number;
  maxSpeed: number;
  averageSpeed: number;
  startLocationLat: number;
  startLocationLng: number;
  endLocationLat: number;
  endLocationLng: number;
  startPointId: number;
  endPointId: number;
  decidedAt: number;
  /** Its way in one text, empty where its positions must be read; null until it is packed. */
  track: Generated<string | null>;
}

export interface StopRow extends Identified {
  deviceId: number;
  start: number;
  end: number;
  duration: number;
  locationLat: number;
  locationLng: number;
  decidedAt: number;
}

/** The ignition is on, or off, from here to the next row of the device. */
export interface IgnitionChangeRow extends Identified {
  deviceId: number;
  at: number;
  isOn: number;
}

export interface LiveEventRow extends Identified {
  /** On PostgreSQL alone; ids are given within it. */
  slot?: number;
  created: number;
  deviceId: number;
  otherDeviceId: number | null;
  userId: number | null;
  kind: 'report' | 'message' | 'notification' | 'retraction' | 'access' | 'unread';
  event: string;
}
