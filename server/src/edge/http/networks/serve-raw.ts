import type { Caller, OwnDevice } from '../../../calls.ts';
import { timeNow } from '../../../platform/clock.ts';
import type { Report } from '../../../reports.ts';
import { type RecordMemory, reportOfRecords } from '../../listeners/report-of-records.ts';
import { textOf } from '../../protocols/claims.ts';
import { rawFrameOf } from '../../protocols/networks/raw-body.ts';
import type {
  DecodedFrame,
  Split,
  TrackerMemory,
  TrackerProtocol,
  TrackerSession,
} from '../../protocols/trackers/tracker.ts';
import { type IngestAnswer, type IngestRequest, NO_CONTENT } from '../ingest/endpoint.ts';
import { callerAddress } from '../trust-proxy.ts';
import { countIgnored, type NetworkContext, receiveFor, unknownTo } from './context.ts';

const MAX_REPLY = 10_000;
/** Maximum number of frames in a body. */
const MOST_FRAMES = 1000;
const NO_MEMORY: TrackerMemory = {};

interface DeviceReport {
  readonly device: OwnDevice;
  report: Report;
}

/**
 * Stores tracker frames that a mobile network posts. The response body contains only bytes for the device, because the
 * network may forward it. A header contains the reason why something was ignored.
 */
export async function serveRaw(
  context: NetworkContext,
  protocol: TrackerProtocol,
  memoryOfAll: RecordMemory,
  caller: Caller,
  request: IngestRequest,
  body: Buffer,
): Promise<IngestAnswer> {
  const now = timeNow();
  const address = callerAddress(request);
  const note = (problem: string, bytes: Buffer, device?: OwnDevice) =>
    context.notes.undecoded({
      protocol: protocol.name,
      address,
      problem,
      bytes,
      now,
      ...(device && { deviceId: device.deviceId }),
    });
  const sent = rawFrameOf(body, request.headers['content-type'] ?? '', request.headers);
  if ('notUsable' in sent) {
    countIgnored(context, caller.userId, now);
    note(sent.notUsable, body);
    return { ...NO_CONTENT, headers: ignored(sent.notUsable) };
  }
  const named = await context.devices.byAnyName(caller, sent.names);
  const reports = new Map<number, DeviceReport>();
  const answers: Buffer[] = [];
  let current = named;
  let memory = NO_MEMORY;
  let problem: string | undefined;
  let names = sent.names;

  const sessionOf = (device: OwnDevice | undefined) => ({
    now,
    acceptsWrongChecksum: false,
    memory,
    ...(device && { identity: device.name }),
    ...(device?.timeZone !== undefined && { timeZone: device.timeZone }),
    ...(device?.model !== undefined && { model: device.model }),
  });

  const { transport, split } = cut(protocol, sent.bytes, sessionOf(named));
  const decode = (frame: Buffer) => protocol.decode(frame, { ...sessionOf(current), transport });

  for (const frame of split.frames.slice(0, MOST_FRAMES)) {
    let decoded = decode(frame);
    if (decoded.isDamaged) {
      problem = decoded.problem ?? 'the checksum is wrong';
      note(problem, frame, current);
      continue;
    }
    // The SIM card identifies the device; otherwise the frame does.
    if (named === undefined && decoded.identities !== undefined) {
      names = decoded.identities;
      current = await context.devices.byAnyName(caller, decoded.identities);
      if (current !== undefined) decoded = decode(frame);
    }
    if (decoded.remember !== undefined) memory = { ...memory, ...decoded.remember };
    if (decoded.problem !== undefined) {
      problem = decoded.problem;
      note(problem, frame, current);
    }
    if (current === undefined) {
      problem ??= names.length === 0 ? 'the device is not identified' : 'none of your devices has this name';
      if (decoded.reply?.refusal !== undefined) answers.push(decoded.reply.refusal);
      continue;
    }
    add(reports, current, reportOf(decoded, current, frame, now, memoryOfAll));
    if (decoded.reply !== undefined) answers.push(decoded.reply.bytes);
  }
  if (split.skipped > 0 || split.frames.length === 0 || split.remaining.length > 0) {
    note('bytes outside of frames', sent.bytes, current);
    problem ??= 'bytes outside of frames';
  }
  if (reports.size === 0) {
    countIgnored(context, caller.userId, now);
    if (names.length > 0 && current === undefined) note(unknownTo(caller), sent.bytes);
  }
  for (const { device, report } of reports.values()) {
    const received = await receiveFor(context, device.deviceId, report, now);
    if (!('ignored' in received)) continue;
    problem = received.ignored;
    // Data that is not stored must not be confirmed.
    if (received.isGone) answers.length = 0;
  }
  const headers = problem === undefined ? {} : ignored(problem);
  if (answers.length === 0) return { ...NO_CONTENT, headers };
  return { status: 200, headers, contentType: 'application/octet-stream', body: Buffer.concat(answers) };
}

const IGNORED = 'x-report-ignored';

/** The problem may quote bytes that the device sent. */
const headerText = (text: string) => text.slice(0, 200).replaceAll(/[^ -~]/g, '?');

const ignored = (reason: string) => ({ [IGNORED]: headerText(reason) });

interface Cut {
  readonly transport: TrackerSession['transport'];
  readonly split: Split;
}

/**
 * The bytes are a datagram or the data of a connection; the first form that can be decoded is used. No more bytes
 * follow.
 */
function cut(protocol: TrackerProtocol, bytes: Buffer, session: Omit<TrackerSession, 'transport'>): Cut {
  const whole: Cut = { transport: 'udp', split: protocol.splitDatagram?.(bytes) ?? wholeStream(protocol, bytes) };
  if (protocol.splitDatagram === undefined || isReadable(protocol, whole, session)) return whole;
  const stream: Cut = { transport: 'tcp', split: wholeStream(protocol, bytes) };
  return isReadable(protocol, stream, session) ? stream : whole;
}

function isReadable(protocol: TrackerProtocol, { transport, split }: Cut, session: object): boolean {
  const [first] = split.frames;
  if (first === undefined || split.skipped > 0) return false;
  const { problem, isDamaged } = protocol.decode(first, { ...session, transport } as TrackerSession);
  return problem === undefined && !isDamaged;
}

function wholeStream(protocol: TrackerProtocol, bytes: Buffer): Split {
  const split = protocol.split(bytes);
  const last = split.remaining.length > 0 ? protocol.splitRemaining?.(split.remaining) : undefined;
  if (last === undefined) return split;
  return {
    frames: [...split.frames, ...last.frames],
    remaining: last.remaining,
    skipped: split.skipped + last.skipped,
  };
}

function reportOf(
  { records, commandReply }: DecodedFrame,
  { deviceId }: OwnDevice,
  frame: Buffer,
  now: number,
  memoryOfAll: RecordMemory,
): Report {
  const report = reportOfRecords(records, { deviceId, now, frame }, memoryOfAll);
  const text = commandReply && textOf(commandReply.text, MAX_REPLY);
  return text === undefined ? report : { ...report, messages: [{ message: text }] };
}

/** Several frames of one device form one report. */
function add(reports: Map<number, DeviceReport>, device: OwnDevice, report: Report): void {
  const known = reports.get(device.deviceId);
  if (known === undefined) {
    reports.set(device.deviceId, { device, report });
    return;
  }
  const before = known.report;
  known.report = {
    points: [...before.points, ...report.points],
    readings: [...before.readings, ...report.readings],
    gatewayReadings: [...before.gatewayReadings, ...report.gatewayReadings],
    messages: [...before.messages, ...report.messages],
    asSent: () => `${before.asSent?.() ?? ''} ${report.asSent?.() ?? ''}`,
  };
}
