import type { Log } from '../../platform/log.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import type { TrackerProtocol, TrackerSession } from '../protocols/trackers/tracker.ts';
import type { TrackerCommands } from './commands.ts';
import type { Clones, Repeats, StandingAlarms } from './device-memory.ts';
import type { SpeakerContext } from './speaker.ts';

/** Dependencies that all conversations share. */
export interface ListenerContext extends SpeakerContext {
  readonly protocols: readonly TrackerProtocol[];
  /** Frames per minute allowed for each device. */
  readonly limit: RateLimit;
  readonly alarms: StandingAlarms;
  /** Sightings by trackers, so that unchanged ones are stored only occasionally. */
  readonly sightings: Repeats;
  readonly commands: TrackerCommands;
  readonly clones: Clones;
  readonly log: Pick<Log, 'error' | 'warn'>;
}

/** The configuration of a port. */
export interface TrackerPort {
  /** If absent, the protocol is recognised. */
  readonly protocol?: TrackerProtocol | undefined;
  /** One connection may report for many devices. */
  readonly isRelay?: boolean | undefined;
  readonly acceptsWrongChecksum?: boolean | undefined;
}

/** The transport of a conversation. */
export interface Line {
  readonly address: string;
  readonly transport: TrackerSession['transport'];
  /** Sends responses in order; false if it is closed. */
  send(answers: readonly Buffer[]): boolean;
  close(): void;
  /** Checks whether the other end is still reachable. */
  probe?(): void;
  /** Resumes or pauses reading. */
  setReading(isReading: boolean): void;
}
