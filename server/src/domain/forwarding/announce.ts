import type { Kysely } from 'kysely';
import type { Posting } from '../../platform/outbox/post.ts';
import type { Tables } from '../schema/tables.ts';
import type { House } from './house.ts';
import type { Outgoing } from './outgoing.ts';
import type { Subjects } from './subjects.ts';

export async function announcements(
  _tx: Kysely<Tables>,
  _house: House,
  _outgoing: readonly Outgoing[],
  _subjects: Subjects,
  _now: number,
): Promise<Posting[]> {
  return [];
}
