import type { AlarmWord } from './alarm-words.ts';

/**
 * A tracker protocol over TCP or UDP. Pure: no clock, no I/O, never throws for any input. Each protocol has one file,
 * its test, and one line in `trackers.ts`.
 */
export interface TrackerProtocol {
  readonly name: string;
  /** The default port of Traccar, which many trackers in the field are configured with. */
  readonly wellKnownPort: number;
  /** Maximum frame length; longer frames are skipped. */
  readonly maxFrameBytes: number;
  /**
   * Whether a connection or datagram that starts with these bytes uses this protocol. `more`: too few bytes to decide.
   */
  recognise(start: Buffer): 'yes' | 'no' | 'more';
  /** Splits a stream into frames. The result must not depend on how reads divide the stream. */
  split(stream: Buffer): Split;
  /** Splits a datagram into frames, if that differs from a stream. */
  splitDatagram?(datagram: Buffer): Split;
  /**
   * Splits the remaining bytes of a stream after the device was silent for a second: for frames without an end mark.
   */
  splitRemaining?(remaining: Buffer): Split;
  decode(frame: Buffer, session: TrackerSession): DecodedFrame;
  /**
   * Encodes a command, or returns undefined if the protocol does not support it. Never guesses by sending a text
   * unchanged.
   */
  encode?(command: TrackerCommand, session: TrackerSession): EncodedCommand | undefined;
  /** Commands that `encode` supports for at least some devices of this protocol. */
  readonly commands: readonly CommandName[];
  /** Whether the reply to a command identifies it. If not, only one command at a time is in progress. */
  readonly repliesNameCommand: boolean;
}

export interface Split {
  readonly frames: readonly Buffer[];
  /** The start of an incomplete frame. */
  readonly remaining: Buffer;
  /** Number of bytes that belong to no frame. */
  readonly skipped: number;
}

/** State of a connection. A decoder changes it only by its return value. */
export interface TrackerSession {
  readonly transport: 'tcp' | 'udp';
  /** Time of reception, epoch milliseconds. */
  readonly now: number;
  /** The identity of the login, if the device has logged in. */
  readonly identity?: string;
  /** The zone of the device's clock, from its `meta.timeZone`: an IANA name or an offset such as `+08:00`. */
  readonly timeZone?: string;
  readonly model?: string;
  /** Whether frames with a wrong checksum are decoded. */
  readonly acceptsWrongChecksum: boolean;
  /** Values that the decoder stored with `remember`. */
  readonly memory: TrackerMemory;
}

export type TrackerMemory = Readonly<Record<string, string | number | boolean>>;

export interface DecodedFrame {
  /** Possible identifiers of the device, best first: an IMEI or a serial number. */
  readonly identities?: readonly string[];
  /** A secret in the frame, such as the password of a login. */
  readonly key?: string;
  readonly records: readonly TrackerRecord[];
  readonly commandReply?: CommandReply;
  readonly reply?: ReplyPlan;
  /** Added to the session's memory for the following frames. */
  readonly remember?: TrackerMemory;
  /** Reason why the frame could not be decoded completely. Its bytes are stored as a sample. */
  readonly problem?: string;
  /** The checksum is wrong: nothing of the frame is stored, and `reply` is not sent. */
  readonly isDamaged?: boolean;
  /** The frame is answered, but nothing of it could be read: it counts as bytes outside of frames. */
  readonly isUnreadable?: boolean;
}

/** Data of one point in time: a position, a status, or both. */
export interface TrackerRecord {
  /** Epoch milliseconds. If absent, the time of reception is used. */
  readonly timestamp?: number;
  readonly location?: { readonly lat: number; readonly lng: number };
  /** Whether the device marks the location as valid. If not, it is the last known location. */
  readonly isValid: boolean;
  readonly speedKmh?: number;
  readonly altitudeM?: number;
  readonly courseDeg?: number;
  readonly accuracyM?: number;
  readonly locationType?: 'gps' | 'wifi' | 'gsm';
  readonly sats?: number;
  readonly hdop?: number;
  readonly batteryPct?: number;
  readonly batteryVoltage?: number;
  readonly isCharging?: boolean;
  readonly gsmSignal?: number;
  /** Readings of the device itself: `ignition`, `odometer_m`, `din1`, `temp`, `driver_id`, … See `reading-words.ts`. */
  readonly readings?: readonly TrackerReading[];
  /** Sightings of tags and beacons. */
  readonly tagReadings?: readonly BeaconReading[];
  /** Events at this time, each once. */
  readonly alarms?: readonly AlarmWord[];
  /**
   * Alarms that are active according to a status. Each is raised once, when it becomes active. Absent: the frame has no
   * status.
   */
  readonly standingAlarms?: readonly AlarmWord[];
  /** The device's own id that distinguishes records of the same time: an event number, a serial. */
  readonly recordId?: string;
}

export interface TrackerReading {
  readonly type: string;
  readonly value: unknown;
  readonly meta?: Record<string, unknown>;
}

export interface BeaconReading extends TrackerReading {
  /** AA:BB:CC:DD:EE:FF, uuid-major-minor, or namespace-instance. */
  readonly sensorDeviceId: string;
  readonly rssi?: number;
}

export interface ReplyPlan {
  /** `now`: an early response loses no data. `afterDurable`: the device deletes confirmed data. */
  readonly when: 'now' | 'afterDurable';
  readonly bytes: Buffer;
  /** The response to a device that may not report; no response if absent. */
  readonly refusal?: Buffer;
}

export const COMMAND_NAMES = [
  'position',
  'reboot',
  'interval',
  'engineStop',
  'engineResume',
  'output',
  'alarmArm',
] as const;
export type CommandName = (typeof COMMAND_NAMES)[number];

export type TrackerCommand =
  | { readonly text: string; readonly number: number }
  | {
      readonly name: CommandName;
      readonly parameters: Readonly<Record<string, string | number | boolean>>;
      /** The id of the command's message, for protocols whose replies identify the command. */
      readonly number: number;
    };

export interface EncodedCommand {
  readonly bytes: Buffer;
  /** The value that the reply will repeat, if replies identify the command. */
  readonly correlation?: string;
  /** The device does not reply to this command; it counts as done once it is sent. */
  readonly isSilent?: boolean;
}

export interface CommandReply {
  readonly text: string;
  readonly correlation?: string;
  /** Whether the device reports a failure. */
  readonly isFailure?: boolean;
}
