import { PROFILES, type Profile, type ProfileName } from '@trackway/simulator/profile.ts';
import { seedOf } from '@trackway/simulator/random.ts';
import { VOICES, type VoiceName } from '@trackway/simulator/trackers/voices.ts';
import { Failure, type Flags, type Given, UsageError } from '../command.ts';

const DEFAULT_URL = 'http://127.0.0.1:8080';
const DEFAULT_TRACKERS_PORT = 5010;
const DAY_MS = 86_400_000;

export const simulateFlags: Flags = {
  devices: { about: 'Number of devices, at most 100000. [default: 10]', takes: 'NUMBER' },
  rate: {
    about: 'Positions per second of the whole fleet. Default: each device has its own interval.',
    takes: 'NUMBER',
  },
  profile: {
    about: `Behaviour of the devices: ${Object.keys(PROFILES).join(', ')}. [default: ordinary]`,
    takes: 'NAME',
  },
  protocol: {
    about: `Report over TCP like trackers: ${Object.keys(VOICES).join(', ')}, or mixed. Default: HTTP.`,
    takes: 'NAME',
  },
  'trackers-port': {
    about: `Port on which the server listens for trackers. [default: ${DEFAULT_TRACKERS_PORT}]`,
    takes: 'PORT',
  },
  seed: { about: 'Any word or number. The same seed gives the same fleet. [default: 1]', takes: 'SEED' },
  duration: { about: 'Stop after this time, such as 90s, 10m, 2h or 1d.', takes: 'TIME' },
  count: { about: 'Stop after this number of transmissions.', takes: 'NUMBER' },
  'speed-up': {
    about: 'Simulate this many times faster than real time, from the past up to now, then in real time. [default: 1]',
    takes: 'NUMBER',
  },
  start: { about: 'Simulated start time, ISO 8601.', takes: 'TIME' },
  concurrency: { about: 'Number of concurrent requests. [default: 32]', takes: 'NUMBER' },
  token: { about: 'Login token or personal access token. [env: TRACKWAY_TOKEN]', takes: 'TOKEN' },
  url: { about: `URL of the server. [env: TRACKWAY_URL] [default: ${DEFAULT_URL}]`, takes: 'URL' },
  'yes-remote': { about: 'Allow a server on another machine. Simulated devices and positions are created there.' },
};

/** The validated flags. */
export interface SimulateOptions {
  readonly url: string;
  readonly token: string;
  readonly devices: number;
  readonly seed: number;
  readonly profile: Profile;
  /** Infinity if unlimited. */
  readonly durationMs: number;
  readonly count: number;
  readonly speedUp: number;
  /** Simulated time, epoch ms. */
  readonly startAt: number;
  readonly concurrency: number;
  /** Tracker protocols, assigned to devices in turn; empty for HTTP. */
  readonly protocols: readonly VoiceName[];
  readonly trackersPort: number;
}

export function readOptions({ flags }: Given, now: number, env: NodeJS.ProcessEnv = process.env): SimulateOptions {
  const devices = number(flags, 'devices', 10, 1, 100_000, true);
  const speedUp = number(flags, 'speed-up', 1, 1, 100_000);
  const durationMs = flags.duration === undefined ? Number.POSITIVE_INFINITY : durationOf(flags.duration);
  const url = urlOf(flags.url ?? (env.TRACKWAY_URL || DEFAULT_URL), flags['yes-remote'] === 'true');
  const options = {
    url,
    devices,
    seed: seedFrom(flags.seed ?? '1'),
    profile: profileOf(flags, devices, speedUp),
    durationMs,
    count: number(flags, 'count', Number.POSITIVE_INFINITY, 1, Number.MAX_SAFE_INTEGER, true),
    speedUp,
    startAt: startOf(flags.start, now, durationMs, speedUp),
    concurrency: number(flags, 'concurrency', 32, 1, 1000, true),
    protocols: protocolsOf(flags.protocol),
    trackersPort: number(flags, 'trackers-port', DEFAULT_TRACKERS_PORT, 1, 65_535, true),
  };
  const token = flags.token ?? env.TRACKWAY_TOKEN;
  if (!token)
    throw new Failure(
      'A token is required. Set it with --token or TRACKWAY_TOKEN. To get one, run "trackway call login".',
    );
  return { ...options, token };
}

function number(
  flags: Given['flags'],
  name: string,
  defaultValue: number,
  min: number,
  max: number,
  isWhole = false,
): number {
  const text = flags[name];
  if (text === undefined) return defaultValue;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value >= min && value <= max && (!isWhole || Number.isInteger(value))) return value;
  const kind = isWhole ? 'a whole number' : 'a number';
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  throw new UsageError(`--${name} must be ${kind} ${range}, not ${JSON.stringify(text)}.`);
}

function protocolsOf(name: string | undefined): readonly VoiceName[] {
  if (name === undefined) return [];
  const all = Object.keys(VOICES) as VoiceName[];
  if (name === 'mixed') return all;
  if (!Object.hasOwn(VOICES, name))
    throw new UsageError(`--protocol must be one of ${all.join(', ')} or mixed, not ${JSON.stringify(name)}.`);
  return [name as VoiceName];
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: DAY_MS };

function durationOf(text: string): number {
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text) ?? [];
  const ms = Number(amount) * UNIT_MS[unit]!;
  if (!(ms > 0)) throw new UsageError(`--duration must be like 90s, 10m, 2h or 1d, not ${JSON.stringify(text)}.`);
  return ms;
}

const seedFrom = (text: string) => (/^\d{1,9}$/.test(text) ? Number(text) : seedOf(text));

/** The shortest interval of a device, in seconds. */
const MIN_INTERVAL_S = 0.1;

function profileOf(flags: Given['flags'], devices: number, speedUp: number): Profile {
  const name = flags.profile ?? 'ordinary';
  if (!Object.hasOwn(PROFILES, name)) {
    throw new UsageError(`--profile must be one of ${Object.keys(PROFILES).join(', ')}, not ${JSON.stringify(name)}.`);
  }
  const profile = PROFILES[name as ProfileName];
  if (flags.rate === undefined) return profile;
  const rate = number(flags, 'rate', 1, 0.001, 1_000_000);
  const intervalS = Math.round((devices * speedUp * 1000) / rate) / 1000;
  if (intervalS < MIN_INTERVAL_S) {
    throw new UsageError(`${devices} devices cannot send ${rate} positions per second. Increase --devices.`);
  }
  // Sleeping devices would lower the rate.
  return { ...profile, intervalsS: [intervalS], packing: 1, sleepAfterMin: 0 };
}

/** An accelerated run starts in the past, so that it ends now. Without an end, it starts a day ago. */
function startOf(text: string | undefined, now: number, durationMs: number, speedUp: number): number {
  if (text !== undefined) {
    const at = Date.parse(text);
    if (Number.isNaN(at))
      throw new UsageError(`--start must be a time like 2026-05-01T08:00:00Z, not ${JSON.stringify(text)}.`);
    return at;
  }
  return Math.round(now - (speedUp > 1 ? Math.min(DAY_MS, durationMs * (speedUp - 1)) : 0));
}

function urlOf(text: string, mayBeRemote: boolean): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`The server URL must look like ${DEFAULT_URL}, not ${JSON.stringify(text)}.`);
  }
  if (!mayBeRemote && !isLoopback(url.hostname)) {
    throw new UsageError(`${url.host} is not this machine. To create simulated devices there, add --yes-remote.`);
  }
  return text.replace(/\/+$/, '');
}

const isLoopback = (host: string) =>
  /^127\.\d+\.\d+\.\d+$/.test(host) || host === '[::1]' || host === 'localhost' || host.endsWith('.localhost');
