import type { FastifyReply, FastifyRequest } from 'fastify';
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
import { callerAddress } from '../trust-proxy.ts';
import { countIgnored, type NetworkDesk, receiveFor, unknownTo } from './desk.ts';

const MAX_REPLY = 10_000;
/** What a body may hold, in frames. */
const MOST_FRAMES = 1000;
const NO_MEMORY: TrackerMemory = {};

interface Heard {
  readonly device: OwnDevice;
  report: Report;
}

/**
 * Takes in frames of a tracker that a mobile network posts. The body of the answer is what the device is told, and nothing
 * else: the network may hand it on. Why something was ignored stands in a header.
 */
export async function serveRaw(
  desk: NetworkDesk,
  protocol: TrackerProtocol,
  memoryOfAll: RecordMemory,
  caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const now = timeNow();
  const address = callerAddress(request);
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const note = (problem: string, bytes: Buffer, device?: OwnDevice) =>
    desk.notes.undecoded({
      protocol: protocol.name,
      address,
      problem,
      bytes,
      now,
      ...(device && { deviceId: device.deviceId }),
    });
  const sent = rawFrameOf(body, request.headers['content-type'] ?? '', request.headers);
  if ('notUsable' in sent) {
    countIgnored(desk, caller.userId, now);
    note(sent.notUsable, body);
    return ignored(reply, sent.notUsable);
  }
  const named = await desk.devices.byAnyName(caller, sent.names);
  const heard = new Map<number, Heard>();
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
    // The SIM card tells who it is; else the frame does.
    if (named === undefined && decoded.identities !== undefined) {
      names = decoded.identities;
      current = await desk.devices.byAnyName(caller, decoded.identities);
      if (current !== undefined) decoded = decode(frame);
    }
    if (decoded.remember !== undefined) memory = { ...memory, ...decoded.remember };
    if (decoded.problem !== undefined) {
      problem = decoded.problem;
      note(problem, frame, current);
    }
    if (current === undefined) {
      problem ??= names.length === 0 ? 'nobody has said who it is' : 'none of your devices has this name';
      if (decoded.reply?.refusal !== undefined) answers.push(decoded.reply.refusal);
      continue;
    }
    add(heard, current, reportOf(decoded, current, frame, now, memoryOfAll));
    if (decoded.reply !== undefined) answers.push(decoded.reply.bytes);
  }
  if (split.skipped > 0 || split.frames.length === 0 || split.rest.length > 0) {
    note('bytes that belong to no frame', sent.bytes, current);
    problem ??= 'bytes that belong to no frame';
  }
  if (heard.size === 0) {
    countIgnored(desk, caller.userId, now);
    if (names.length > 0 && current === undefined) note(unknownTo(caller), sent.bytes);
  }
  for (const { device, report } of heard.values()) {
    const received = await receiveFor(desk, device.deviceId, report, now);
    if (!('ignored' in received)) continue;
    problem = received.ignored;
    // Nothing may be confirmed that is stored nowhere.
    if (received.isGone) answers.length = 0;
  }
  if (problem !== undefined) reply.header(IGNORED, headerText(problem));
  if (answers.length === 0) return reply.code(204).send();
  return reply.header('content-type', 'application/octet-stream').send(Buffer.concat(answers));
}

const IGNORED = 'x-report-ignored';

/** A problem may quote what the device sent. */
const headerText = (text: string) => text.slice(0, 200).replaceAll(/[^ -~]/g, '?');

const ignored = (reply: FastifyReply, reason: string) => reply.header(IGNORED, headerText(reason)).code(204).send();

interface Cut {
  readonly transport: TrackerSession['transport'];
  readonly split: Split;
}

/** A datagram, or else what would be sent over a connection; whichever can be read. No more of it will come. */
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
  const last = split.rest.length > 0 ? protocol.splitRest?.(split.rest) : undefined;
  if (last === undefined) return split;
  return { frames: [...split.frames, ...last.frames], rest: last.rest, skipped: split.skipped + last.skipped };
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

/** Several frames of a device are one report. */
function add(heard: Map<number, Heard>, device: OwnDevice, report: Report): void {
  const known = heard.get(device.deviceId);
  if (known === undefined) {
    heard.set(device.deviceId, { device, report });
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
