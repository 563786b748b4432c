import type { AnswerOf } from '@trackway/contract/operations.ts';
import type { fleetOperations as contract } from '@trackway/contract/resources/fleet.ts';
import { type Call, type Handlers, JsonStream, JsonText } from '../../../calls.ts';
import { badRequest } from '../../../platform/errors.ts';
import { childNotFound } from '../../../refusals.ts';
import { chunkedText } from '../../chunked-text.ts';
import { visibleTo, withinToken } from '../../devices/access.ts';
import { ownerOf, unlessBusy } from '../../family.ts';
import { spanOf } from '../../range.ts';
import type { Store } from '../../schema/tables.ts';
import { devicesInZone } from './in-zone-work.ts';
import { summaryChunk } from './summary-chunk.ts';

const DEFAULT_POINTS = 5;

/** The fleet of a user with its newest positions. Everything is read on separate threads. */
export function fleetOperations(
  store: Store,
): Handlers<keyof Pick<typeof contract, 'getDeviceSummary' | 'getDevicesInZone'>> {
  const summaryOf = chunkedText('summaries', store.readWork(summaryChunk));
  const inZone = store.readWork(devicesInZone);

  const devicesOf = ({ caller, userId, now }: Pick<Call, 'caller' | 'userId' | 'now'>) => ({
    scope: withinToken(caller, visibleTo(userId)),
    reader: { userId: caller.userId, admin: caller.admin },
    now,
  });

  return {
    async getDeviceSummary(call) {
      const { pointCount, dateRange, hideApprox } = call.parameters;
      const points = {
        count: pointCount ?? DEFAULT_POINTS,
        ...(dateRange && { span: spanOf(dateRange, call.now) }),
        hideApprox: hideApprox === true,
      };
      return new JsonStream<AnswerOf<'getDeviceSummary'>>(
        await summaryOf({ ...devicesOf(call), points }, ownerOf(call)),
      );
    },

    async getDevicesInZone(call) {
      const { zoneId, zoneType, includeApprox = false } = call.parameters;
      const fences = zoneId !== undefined ? { id: zoneId } : zoneType !== undefined ? { type: zoneType } : undefined;
      if (fences === undefined) throw badRequest('zoneId or zoneType is required');
      const question = { ...devicesOf(call), userId: call.userId, fences, includeApprox };
      const answer = await unlessBusy('searches', inZone(question, ownerOf(call)));
      if ('text' in answer) return new JsonText<AnswerOf<'getDevicesInZone'>>(answer.text);
      if (answer.why === 'unknown') throw childNotFound('geofence', zoneId!);
      throw badRequest('The answer would be too large: ask for one zone');
    },
  };
}
