import type { NormalizedReport, Receipted, ReceivedItem } from './normalize.ts';

/**
 * A large report is stored in several transactions, so that reports of other devices wait for one of them and not for
 * all. It is answered after the last. Where the process dies in between, the device sends all of it again, and what is
 * stored already is recognised.
 */

/** About this many items go into one transaction: a few milliseconds of the writer's time. */
const SLICE_ITEMS = 250;
/** What is of one instant is evaluated together, so it stays together; unless it is more than this. */
const MAX_SLICE_ITEMS = 500;

type List = ReceivedItem['list'];

interface Place {
  readonly list: List;
  readonly index: number;
  readonly at: number;
}

/** The slices of a report, in the order of time: each is a report of its own. A small one is its only slice. */
export function slicesOf(report: NormalizedReport): readonly NormalizedReport[] {
  if (report.weight <= SLICE_ITEMS) return [report];
  const places = placesOf(report);
  const count = Math.ceil(places.length / SLICE_ITEMS);
  if (count < 2) return [report];
  const size = Math.ceil(places.length / count);
  const slices: NormalizedReport[] = [];
  for (let start = 0; start < places.length; ) {
    let end = Math.min(start + size, places.length);
    while (end < places.length && end - start < MAX_SLICE_ITEMS && places[end]!.at === places[end - 1]!.at) end++;
    slices.push(sliceOf(report, places.slice(start, end)));
    start = end;
  }
  return slices;
}

/**
 * Of no instant: what is quarantined is not evaluated, and messages have the time of their reception, after everything
 * else.
 */
const ANY_TIME = Number.NaN;

function placesOf({ points, readings, gatewayReadings, quarantined, messages }: NormalizedReport): readonly Place[] {
  const places: Place[] = [];
  const add = <Item>(list: List, items: readonly Item[], timeOf: (item: Item) => number) => {
    for (const [index, item] of items.entries()) places.push({ list, index, at: timeOf(item) });
  };
  add('points', points, ({ timestamp }) => timestamp);
  add('readings', readings, ({ timestamp }) => timestamp);
  add('gatewayReadings', gatewayReadings, ({ timestamp }) => timestamp);
  places.sort((a, b) => a.at - b.at);
  add('quarantined', quarantined, () => ANY_TIME);
  add('messages', messages, () => ANY_TIME);
  return places;
}

function sliceOf(report: NormalizedReport, places: readonly Place[]): NormalizedReport {
  const indexes: Record<List, number[]> = {
    points: [],
    readings: [],
    gatewayReadings: [],
    quarantined: [],
    messages: [],
  };
  for (const { list, index } of places) indexes[list].push(index);
  const of = <L extends List>(list: L) =>
    indexes[list].map((index) => report[list][index]!) as unknown as NormalizedReport[L];
  return {
    ...report,
    weight: 1 + places.length,
    points: of('points'),
    readings: of('readings'),
    gatewayReadings: of('gatewayReadings'),
    quarantined: of('quarantined'),
    messages: of('messages'),
    received: receivedIn(report.received, indexes),
    receipt: undefined,
  };
}

/** The identities of the items of a slice, by their places in it. */
function receivedIn(
  received: readonly ReceivedItem[],
  indexes: Readonly<Record<List, readonly number[]>>,
): readonly ReceivedItem[] {
  if (received.length === 0) return received;
  const inSlice = new Map<string, number>();
  for (const [list, all] of Object.entries(indexes))
    for (const [index, before] of all.entries()) inSlice.set(`${list} ${before}`, index);
  return received.flatMap((item) => {
    const index = inSlice.get(`${item.list} ${item.index}`);
    return index === undefined ? [] : [{ ...item, index }];
  });
}

/** What the slices of a report say together. A device that is gone, or whose reports are not taken, is so for all. */
export function receiptOf(slices: readonly NormalizedReport[]): Receipted {
  let sum: Exclude<Receipted, 'inactive' | undefined> | undefined;
  for (const { receipt } of slices) {
    if (receipt === undefined || receipt === 'inactive') return receipt;
    sum =
      sum === undefined
        ? receipt
        : {
            accepted: sum.accepted + receipt.accepted,
            duplicates: sum.duplicates + receipt.duplicates,
            ...(sum.expired || receipt.expired ? { expired: (sum.expired ?? 0) + (receipt.expired ?? 0) } : {}),
            hasPending: receipt.hasPending,
          };
  }
  return sum;
}
