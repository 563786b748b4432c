import type { TrackerProtocol, TrackerSession } from '../protocols/trackers/tracker.ts';

/** No protocol needs more bytes to be distinguished from others. */
const ENOUGH = 1024;

/** The protocol of a connection, by its first bytes. `more`: too few bytes to decide. */
export function recognise(protocols: readonly TrackerProtocol[], start: Buffer): TrackerProtocol | 'more' | undefined {
  const from = start.findIndex((byte) => !IDLE.has(byte));
  if (from < 0) return start.length < ENOUGH ? 'more' : undefined;
  return (
    recogniseStart(protocols, start) ??
    (from > 0 ? recogniseStart(protocols, start.subarray(from)) : undefined) ??
    recogniseWithin(protocols, start)
  );
}

/** Line breaks, spaces, zeros, and bytes that some devices send as keep-alive. */
const IDLE = new Set([0x00, 0x0a, 0x0d, 0x20, 0xff]);

/** If garbage comes first, a complete frame that identifies its sender decides. */
function recogniseWithin(protocols: readonly TrackerProtocol[], stream: Buffer): TrackerProtocol | undefined {
  return protocols.find((protocol) =>
    protocol.split(stream).frames.some((frame) => {
      const { identities, isDamaged, problem } = protocol.decode(frame, STRANGER);
      return identities !== undefined && !isDamaged && problem === undefined;
    }),
  );
}

/** Whether a frame can be decoded unambiguously. */
export function isReadable(protocol: TrackerProtocol, frame: Buffer): boolean {
  const { isDamaged, problem } = protocol.decode(frame, STRANGER);
  return !isDamaged && problem === undefined;
}

const STRANGER: TrackerSession = { transport: 'tcp', now: 0, acceptsWrongChecksum: false, memory: {} };

function recogniseStart(protocols: readonly TrackerProtocol[], start: Buffer): TrackerProtocol | 'more' | undefined {
  let isOpen = false;
  for (const protocol of protocols) {
    const answer = protocol.recognise(start);
    if (answer === 'more') isOpen = true;
    // If another protocol is still possible, a complete frame decides, because its sender may wait for a response.
    else if (answer === 'yes' && (!isOpen || isWhole(protocol, start))) return protocol;
  }
  return isOpen && start.length < ENOUGH ? 'more' : undefined;
}

/** The same for a datagram, which is always complete. */
export function recogniseDatagram(
  protocols: readonly TrackerProtocol[],
  datagram: Buffer,
): TrackerProtocol | undefined {
  const sure = protocols.find((protocol) => protocol.recognise(datagram) === 'yes');
  return sure ?? protocols.find((protocol) => protocol.recognise(datagram) === 'more' && isWhole(protocol, datagram));
}

const METHODS = ['GET ', 'POST ', 'HEAD ', 'PUT ', 'OPTIONS ', 'DELETE ', 'PATCH ', 'CONNECT ', 'TRACE '];
/** The first byte of a TLS handshake record, and its major version. */
const TLS_HANDSHAKE = 0x16;
const TLS_MAJOR = 3;

/** Whether the bytes are the start of HTTP or TLS instead of a tracker protocol. */
export function strangerOf(start: Buffer): 'http' | 'tls' | 'more' | undefined {
  if (start[0] === TLS_HANDSHAKE) return start.length < 2 ? 'more' : start[1] === TLS_MAJOR ? 'tls' : undefined;
  const word = start.toString('latin1', 0, 8);
  if (METHODS.some((method) => word.startsWith(method))) return 'http';
  return METHODS.some((method) => method.startsWith(word)) ? 'more' : undefined;
}

function isWhole(protocol: TrackerProtocol, start: Buffer): boolean {
  const { frames, skipped } = protocol.split(start);
  return frames.length > 0 && skipped === 0;
}
