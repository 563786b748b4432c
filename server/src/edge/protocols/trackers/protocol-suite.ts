import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { DecodedFrame, TrackerProtocol, TrackerSession } from './tracker.ts';

/**
 * Properties that every tracker protocol must satisfy for any input.
 *
 * @param unmarked streams whose truncated frames cannot be recognised: they have neither a checksum nor a mark that
 *   cannot occur among their bytes
 */
export function protocolSuite(
  protocol: TrackerProtocol,
  marked: readonly Buffer[],
  unmarked: readonly Buffer[] = [],
): void {
  const streams = [...marked, ...unmarked];
  const { name } = protocol;

  test(`${name}: every cutting of a stream gives the same frames`, () => {
    for (const stream of streams) {
      const whole = framesOf(protocol, [stream]);
      assert.ok(whole.length > 0, 'a stream of the suite holds a frame');
      for (let at = 1; at < stream.length; at += 1)
        assert.deepEqual(framesOf(protocol, [stream.subarray(0, at), stream.subarray(at)]), whole, `cut at ${at}`);
      assert.deepEqual(
        framesOf(
          protocol,
          [...stream].map((byte) => Buffer.from([byte])),
        ),
        whole,
        'byte by byte',
      );
    }
  });

  test(`${name}: a stream with garbage in it is cut the same however it arrives`, () => {
    const mixed = fc.array(
      fc.oneof(fc.constantFrom(...streams.map(toHex)), fc.uint8Array({ maxLength: 30 }).map(toHex)),
      {
        minLength: 1,
        maxLength: 6,
      },
    );
    fc.assert(
      fc.property(mixed, fc.array(fc.nat(), { maxLength: 5 }), (parts, cuts) => {
        const stream = Buffer.from(parts.join(''), 'hex');
        const ends = [...new Set(cuts.map((cut) => cut % (stream.length + 1)))].sort((a, b) => a - b);
        const pieces = [0, ...ends].map((from, index) => stream.subarray(from, ends[index] ?? stream.length));
        assert.deepEqual(framesOf(protocol, pieces), framesOf(protocol, [stream]));
      }),
    );
  });

  test(`${name}: a frame that was cut off takes none of those behind it with it`, () => {
    for (const stream of marked) {
      const whole = framesOf(protocol, [Buffer.concat([stream, stream, stream, stream])]);
      const lossy: number[] = [];
      for (let at = 1; at < stream.length; at += 1) {
        const half = stream.subarray(0, at);
        const found = framesOf(protocol, [Buffer.concat([stream, half, stream, stream, stream])]);
        if (whole.some((frame) => countIn(found, frame) < countIn(whole, frame))) lossy.push(at);
      }
      // Some prefixes are valid together with the following bytes, and nothing shows otherwise.
      assert.ok(
        lossy.length <= stream.length * MOST_LOSSY,
        `cut off after ${lossy} bytes of ${stream.toString('hex')}`,
      );
    }
  });

  test(`${name}: nothing a device sends makes the decoder throw`, () => {
    const frames = streams.flatMap((stream) => protocol.split(stream).frames);
    fc.assert(
      fc.property(
        fc.constantFrom(...frames),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }),
        fc.nat(),
        (frame, changes, cut) => {
          const changed = Buffer.from(frame.subarray(0, 1 + (cut % frame.length)));
          for (const [at, value] of changes) changed[at % changed.length] = value;
          for (const acceptsWrongChecksum of [false, true])
            isPlain(protocol.decode(changed, { ...anySession, acceptsWrongChecksum }));
        },
      ),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        protocol.split(Buffer.from(bytes));
        protocol.recognise(Buffer.from(bytes));
        isPlain(protocol.decode(Buffer.from(bytes), { ...anySession, acceptsWrongChecksum: true }));
      }),
      { numRuns: 500 },
    );
  });

  test(`${name}: knows its own first bytes, however few have come`, () => {
    for (const stream of streams) {
      assert.equal(protocol.recognise(stream), 'yes');
      for (let at = 1; at < stream.length; at += 1)
        assert.notEqual(protocol.recognise(stream.subarray(0, at)), 'no', `after ${at} bytes`);
    }
  });
}

export const anySession: TrackerSession = {
  transport: 'tcp',
  now: Date.parse('2026-01-01T00:00:00Z'),
  identity: '123456789012345',
  acceptsWrongChecksum: false,
  memory: {},
};

/** Splits a stream that arrives in these pieces, as a listener does. */
export function framesOf(protocol: TrackerProtocol, pieces: readonly Buffer[]): string[] {
  let remaining = Buffer.alloc(0);
  const frames: string[] = [];
  for (const piece of pieces) {
    const split = protocol.split(Buffer.concat([remaining, piece]));
    frames.push(...split.frames.map(toHex));
    remaining = Buffer.from(split.remaining);
  }
  return frames;
}

/** Maximum share of truncation offsets where the next frame is lost. */
const MOST_LOSSY = 0.1;

const countIn = (frames: readonly string[], frame: string) => frames.filter((one) => one.endsWith(frame)).length;

const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** Numbers are finite, and the output is bounded by the size of the frame. */
function isPlain(decoded: DecodedFrame): void {
  assert.ok(decoded.records.length <= 4096);
  for (const { location, timestamp, speedKmh, altitudeM, courseDeg } of decoded.records)
    for (const value of [location?.lat, location?.lng, timestamp, speedKmh, altitudeM, courseDeg])
      assert.ok(value === undefined || Number.isFinite(value));
}
