import type { TrackerProtocol } from '../protocols/trackers/tracker.ts';

/** No protocol needs more bytes to be told from others. */
const ENOUGH = 1024;

/** Which protocol a connection speaks, by its first bytes. `more`: too few to tell. */
export function recognise(protocols: readonly TrackerProtocol[], start: Buffer): TrackerProtocol | 'more' | undefined {
  let isOpen = false;
  for (const protocol of protocols) {
    const answer = protocol.recognise(start);
    if (answer === 'more') isOpen = true;
    // Where another one is still possible, a whole frame decides: its sender may wait for an answer.
    else if (answer === 'yes' && (!isOpen || isWhole(protocol, start))) return protocol;
  }
  return isOpen && start.length < ENOUGH ? 'more' : undefined;
}

/** The same for a datagram, of which no more will come. */
export function recogniseDatagram(
  protocols: readonly TrackerProtocol[],
  datagram: Buffer,
): TrackerProtocol | undefined {
  const sure = protocols.find((protocol) => protocol.recognise(datagram) === 'yes');
  return sure ?? protocols.find((protocol) => protocol.recognise(datagram) === 'more' && isWhole(protocol, datagram));
}

const METHODS = ['GET ', 'POST ', 'HEAD ', 'PUT ', 'OPTIONS ', 'DELETE ', 'PATCH ', 'CONNECT ', 'TRACE '];
/** The first byte of a TLS record of a handshake, and its major version. */
const TLS_HANDSHAKE = 0x16;
const TLS_MAJOR = 3;

/** Whether somebody begins to speak who is no tracker, or not yet one. */
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
