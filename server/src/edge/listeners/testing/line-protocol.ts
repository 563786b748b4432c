import type { DecodedFrame, Split, TrackerProtocol } from '../../protocols/trackers/tracker.ts';

/**
 * A line-based protocol for tests: `@NAME` logs in, `+TIME,LAT,LNG` is a position, `~` a heartbeat, `%NAME=KEY` a login
 * with a key, `#NAME+TIME,LAT,LNG` a position with its device, `=TEXT` a reply to a command. A line that ends with `?`
 * is damaged.
 */
export const lineProtocol: TrackerProtocol = {
  name: 'h02',
  wellKnownPort: 5013,
  maxFrameBytes: 200,
  commands: ['position', 'engineStop', 'engineResume'],
  repliesNameCommand: false,

  recognise(start) {
    return '@+~%#'.includes(start.toString('latin1', 0, 1)) ? (start.includes(10) ? 'yes' : 'more') : 'no';
  },

  split(stream): Split {
    const frames: Buffer[] = [];
    let from = 0;
    let skipped = 0;
    for (let end = stream.indexOf(10, from); end !== -1; end = stream.indexOf(10, from)) {
      const frame = stream.subarray(from, end);
      if (frame.length > 0 && '@+~%#=!'.includes(String.fromCharCode(frame[0]!))) frames.push(frame);
      else skipped += frame.length;
      from = end + 1;
    }
    if (stream.length - from <= 200) return { frames, remaining: stream.subarray(from), skipped };
    return { frames, remaining: stream.subarray(stream.length), skipped: skipped + stream.length - from };
  },

  decode(frame, { acceptsWrongChecksum, identity }): DecodedFrame {
    const text = frame.toString('latin1');
    if (text.endsWith('?') && !acceptsWrongChecksum)
      return { records: [], isDamaged: true, reply: { when: 'now', bytes: Buffer.from('no\n') } };
    const refusal = Buffer.from('who\n');
    const remaining = text.slice(1).replace('?', '');
    if (text.startsWith('@'))
      return { identities: [remaining], records: [], reply: { when: 'now', bytes: Buffer.from('hello\n'), refusal } };
    if (text.startsWith('%')) {
      const [name = '', key = ''] = remaining.split('=');
      return { identities: [name], key, records: [], reply: { when: 'now', bytes: Buffer.from('hello\n'), refusal } };
    }
    if (text.startsWith('~')) return { records: [], reply: { when: 'now', bytes: Buffer.from('alive\n') } };
    if (text.startsWith('='))
      return { records: [], commandReply: { text: remaining, isFailure: remaining === 'error' } };
    if (text.startsWith('!')) return { records: [], problem: 'unknown frame' };
    const [name, said = ''] = text.startsWith('#') ? remaining.split('+') : [identity, remaining];
    const [timestamp, lat, lng] = said.split(',').map(Number);
    return {
      ...(text.startsWith('#') && name !== undefined && { identities: [name] }),
      records: [{ timestamp: timestamp!, isValid: true, location: { lat: lat!, lng: lng! }, speedKmh: 0 }],
      reply: { when: 'afterDurable', bytes: Buffer.from(`${timestamp}\n`), refusal },
    };
  },

  encode(command) {
    if ('text' in command) return { bytes: Buffer.from(`>${command.text}\n`) };
    if (!this.commands.includes(command.name)) return undefined;
    return { bytes: Buffer.from(`>${command.name} ${JSON.stringify(command.parameters)}\n`) };
  },
};
