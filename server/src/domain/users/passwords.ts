import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { Refusal } from '../../platform/errors.ts';
import { FewAtATime } from '../../platform/few-at-a-time.ts';

/**
 * argon2id with 19 MiB, two passes, one lane. Each hash contains its own cost, so that the cost can be raised later.
 */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const FORM = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

/**
 * Hashing takes a thread and 19 MiB for tens of milliseconds, so a flood of sign-ins waits here: half of Node's four
 * threads stay free for everything else.
 */
const turns = new FewAtATime(2, 100);

const busy = () =>
  new Refusal(503, 'Too many sign-ins at once: try again in a moment', { headers: { 'retry-after': '2' } });

function derive(password: string, salt: Buffer, cost: typeof COST, tagLength: number): Promise<Buffer> {
  const work = () =>
    new Promise<Buffer>((resolve, reject) => {
      argon2('argon2id', { message: password, nonce: salt, tagLength, ...cost }, (error, tag) =>
        error ? reject(error) : resolve(tag),
      );
    });
  return turns.take(work, busy);
}

const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const tag = await derive(password, salt, COST, 32);
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${unpadded(salt)}$${unpadded(tag)}`;
}

/** Used for an unknown user, so that refusing takes the same time. */
const NOBODY = `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${unpadded(Buffer.alloc(16, 7))}$${unpadded(Buffer.alloc(32))}`;

export async function passwordMatches(stored: string | undefined, password: string): Promise<boolean> {
  const parts = FORM.exec(stored ?? NOBODY);
  if (parts === null) return false;
  const [, memory, passes, parallelism, salt, tag] = parts as unknown as string[];
  const expected = Buffer.from(tag!, 'base64');
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const derived = await derive(password, Buffer.from(salt!, 'base64'), cost, expected.length);
  return timingSafeEqual(derived, expected) && stored !== undefined;
}
