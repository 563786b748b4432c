import type { AlarmWord } from './alarm-words.ts';

/**
 * A protocol that trackers speak over TCP or UDP. All of it is pure: no clock, no I/O, and nothing throws, whatever the
 * bytes are. One file for each protocol, its test, and one line in `trackers.ts`.
 */
export interface TrackerProtocol {
  readonly name: TrackerProtocolName;
  /** No frame is longer; what is, is skipped. */
  readonly maxFrameBytes: number;
  /** Whether a connection, or a datagram, that begins with these bytes speaks this protocol. `more`: too few to tell. */
  recognise(start: Buffer): 'yes' | 'no' | 'more';
  /** Cuts a stream into frames. The same stream gives the same frames, wherever its reads were cut. */
  split(stream: Buffer): Split;
  /** Cuts a datagram into frames, where that is not as in a stream. */
  splitDatagram?(datagram: Buffer): Split;
  /** What the rest of a stream is, once the device has been silent for a second: for frames without an end of their own. */
  splitRest?(rest: Buffer): Split;
  decode(frame: Buffer, session: TrackerSession): DecodedFrame;
  /** What goes down to the device, or undefined if the protocol can't say it. Never sends a text as it is by guess. */
  encode?(command: TrackerCommand, session: TrackerSession): EncodedCommand | undefined;
  /** Commands that `encode` can say for some device of this protocol. */
  readonly commands: readonly CommandName[];
  /** Whether the reply to a command names it. Where not, one command at a time is under way. */
  readonly repliesNameCommand: boolean;
}

export type TrackerProtocolName =
  | 'teltonika'
  | 'gt06'
  | 'jt808'
  | 'queclink'
  | 'h02'
  | 'wialon'
  | 'gps103'
  | 'tk103'
  | 'xexun'
  | 'watch'
  | 'meitrack'
  | 'suntech'
  | 'ruptela'
  | 'galileosky'
  | 'eelink'
  | 'nmea'
  | 'minifinder';

export interface Split {
  readonly frames: readonly Buffer[];
  /** The beginning of a frame that is not whole yet. */
  readonly rest: Buffer;
  /** Bytes that belong to no frame. */
  readonly skipped: number;
}

/** What is known of whoever speaks. A decoder changes it only by what it returns. */
export interface TrackerSession {
  readonly transport: 'tcp' | 'udp';
  /** Time of reception, epoch milliseconds. */
  readonly now: number;
  /** The identity of the login, if the device has logged in. */
  readonly identity?: string;
  /** The zone of the device's clock, from its `meta.timeZone`: an IANA name or an offset such as `+08:00`. */
  readonly timeZone?: string;
  readonly model?: string;
  /** Whether a frame with a wrong checksum is decoded all the same. */
  readonly acceptsWrongChecksum: boolean;
  /** What the decoder asked to remember. */
  readonly memory: TrackerMemory;
}

export type TrackerMemory = Readonly<Record<string, string | number | boolean>>;

export interface DecodedFrame {
  /** Names by which the device may be known, best first: an IMEI or a serial number. */
  readonly identities?: readonly string[];
  /** A secret that the frame carries, such as the password of a login. */
  readonly key?: string;
  readonly records: readonly TrackerRecord[];
  readonly commandReply?: CommandReply;
  readonly reply?: ReplyPlan;
  /** Added to the session's memory for the frames that follow. */
  readonly remember?: TrackerMemory;
  /** Why nothing of the frame, or not all of it, could be read. Its bytes are kept as a sample. */
  readonly problem?: string;
  /** The checksum is wrong: nothing of the frame is stored, and `reply` is not sent. */
  readonly isDamaged?: boolean;
}

/** What a device says of one moment: a position, its status, or both. */
export interface TrackerRecord {
  /** Epoch milliseconds; absent where the device gives none, then that of the reception is taken. */
  readonly timestamp?: number;
  readonly location?: { readonly lat: number; readonly lng: number };
  /** Whether the device vouches for the place. If not, the place is where it was last known to be. */
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
  /** About the device itself: `ignition`, `odometer_m`, `din1`, `temp`, `driver_id`, … See `reading-words.ts`. */
  readonly readings?: readonly TrackerReading[];
  /** Tags and beacons it heard. */
  readonly heard?: readonly HeardReading[];
  /** What happened at this moment, each once. */
  readonly alarms?: readonly AlarmWord[];
  /** Alarms that a status says are on; raised once, when they were not on before. Absent: the frame does not tell. */
  readonly standingAlarms?: readonly AlarmWord[];
  /** Tells records of one moment apart, as the device does: an event number, a serial. */
  readonly recordId?: string;
}

export interface TrackerReading {
  readonly type: string;
  readonly value: unknown;
  readonly meta?: Record<string, unknown>;
}

export interface HeardReading extends TrackerReading {
  /** AA:BB:CC:DD:EE:FF, uuid-major-minor, or namespace-instance. */
  readonly sensorDeviceId: string;
  readonly rssi?: number;
}

export interface ReplyPlan {
  /** `now`: nothing is lost if the server stops. `afterDurable`: the device forgets what is confirmed. */
  readonly when: 'now' | 'afterDurable';
  readonly bytes: Buffer;
  /** What a device that may not report is told; silence where absent. */
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
      /** Of the message that carries it; for protocols whose replies name the command. */
      readonly number: number;
    };

export interface EncodedCommand {
  readonly bytes: Buffer;
  /** What the reply will carry, where it names its command. */
  readonly correlation?: string;
  /** The device does not reply to this command; it counts as done once written. */
  readonly isSilent?: boolean;
}

export interface CommandReply {
  readonly text: string;
  readonly correlation?: string;
  /** Whether the device says that it could not do it. */
  readonly isFailure?: boolean;
}
