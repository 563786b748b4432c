import type { Random } from '@trackway/simulator/random.ts';

/** Changes bytes as bad networks and hostile people do: some flipped, cut, doubled, moved, or of another stream. */
export function mutated(random: Random, bytes: Buffer, other: Buffer): Buffer {
  let changed: Buffer = Buffer.from(bytes);
  for (let count = 1 + random.below(3); count > 0; count -= 1) changed = changedOnce(random, changed, other);
  return changed;
}

function changedOnce(random: Random, bytes: Buffer, other: Buffer): Buffer {
  if (bytes.length === 0) return Buffer.from(other);
  const at = random.below(bytes.length);
  const to = at + 1 + random.below(Math.min(16, bytes.length - at));
  switch (random.below(8)) {
    case 0:
      bytes[at]! ^= 1 << random.below(8);
      return bytes;
    case 1:
      bytes[at] = EDGES[random.below(EDGES.length)]!;
      return bytes;
    case 2:
      return bytes.subarray(0, at);
    case 3:
      return bytes.subarray(at);
    case 4:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(to)]);
    case 5:
      return Buffer.concat([bytes.subarray(0, to), bytes.subarray(at)]);
    case 6:
      return Buffer.concat([bytes.subarray(0, at), other.subarray(random.below(other.length))]);
    default:
      for (let index = at; index < to; index += 1) bytes[index] = random.below(256);
      return bytes;
  }
}

/** Limits of lengths, signs and marks. */
const EDGES = [0, 1, 0x0a, 0x0d, 0x23, 0x24, 0x2a, 0x2c, 0x5b, 0x5d, 0x7d, 0x7e, 0x7f, 0x80, 0xfe, 0xff];
