import type { TriggerTypeName } from '@trackway/contract/triggers.ts';
import { alertsIn } from '@trackway/contract/wording/sentence.ts';
import type { Explanation } from '../../api/notifications.ts';
import { count, duration } from '../../format/quantities.ts';
import { alarmInWords } from '../../forms/alarm-words.ts';
import { isKnownType } from '../../forms/trigger-draft.ts';
import { allOf } from '../../texts/counting.ts';
import { t } from '../../texts/t.ts';
import {
  confidenceOf,
  evidenceOf,
  outcomeReason,
  type Quantities,
  quantityOf,
  surenessOf,
  timeIn,
  zoneOf,
} from './reasons.ts';

const words = t.notifications.because;
type Facts = Explanation['because'];
type Explained = Pick<Explanation, 'because' | 'sentence'> & {
  readonly notification: Pick<Explanation['notification'], 'params' | 'status' | 'late'>;
};

/**
 * Why a trigger fired, in the viewer's units: "Van 3 was 0.8 mi outside Home (± 26 ft). Certain." The server's own
 * sentence is used for types that this console does not know.
 */
export function evidenceSentence(explained: Explained, device: string, format: Quantities): string {
  const { notification, because, sentence } = explained;
  const type = String(notification.params.type);
  const why = isKnownType(type) ? whyOf(type, device, because, format) : undefined;
  return why === undefined ? sentence : withOutcome(why, explained.notification);
}

/** Undefined if the facts of a crossing are missing. */
function whyOf(type: TriggerTypeName, device: string, because: Facts, format: Quantities): string | undefined {
  const crossing = crossingIn(because, format);
  if (crossing === undefined && (type === 'geofence' || type === 'geoEntry')) return undefined;
  return t.triggers.why[type]({ device, ...partsOf(type, because, format), ...(crossing ?? NO_CROSSING) });
}

function withOutcome(why: string, { status, late }: Explained['notification']): string {
  if (status === 'suppressed' || status === 'retracted') return words[status]({ reason: outcomeReason(status), why });
  return late ? words.late({ why }) : why;
}

function partsOf(type: string, because: Facts, format: Quantities) {
  const quantity = (name: string) => quantityOf(type, because[name], format) ?? '';
  const time = (name: string) => timeIn(because[name]) ?? '';
  const value = Number(because.value);
  const upper = because.max === undefined ? 'limit' : 'max';
  const { by, meters, otherName } = because;
  return {
    value: type === 'alarm' ? alarmInWords(String(because.value)) : quantity('value'),
    limit: quantity('limit'),
    threshold: quantity('threshold'),
    below: value < Number(because.min) ? quantity('min') : undefined,
    above: value > Number(because[upper]) ? quantity(upper) : undefined,
    readingType: String(because.type),
    alerts: alertWords(Number(because.alerts ?? 0)),
    since: time('since'),
    heardAt: time('heardAt'),
    after: duration(Number(because.after)),
    expires: time('expires'),
    task: String(because.task ?? ''),
    rest: restIn(because, format),
    other: typeof otherName === 'string' ? otherName : undefined,
    apart: by === 'position' || by === 'uwb_seen' ? format.distance(Number(meters)) : undefined,
  };
}

function restIn({ restKm, restS }: Facts, format: Quantities): string | undefined {
  if (typeof restKm === 'number') return restKm > 0 ? format.distance(restKm * 1000) : undefined;
  return typeof restS === 'number' && restS > 0 ? duration(restS) : undefined;
}

const NO_CROSSING = { crossing: 'other', where: '', accuracy: '', sure: '' } as const;

function crossingIn(because: Facts, format: Quantities) {
  const confidence = confidenceOf(because);
  const [first] = evidenceOf(because);
  if (first === undefined || confidence === undefined) return undefined;
  const { insideBy, outsideBy } = t.notifications;
  const still = first.stopped ? ('stopped' as const) : ('other' as const);
  return {
    fence: zoneOf(because)?.name ?? undefined,
    where: (first.distanceM < 0 ? insideBy : outsideBy)({ distance: format.distance(Math.abs(first.distanceM)) }),
    accuracy: format.distance(first.accuracyM),
    sure: surenessOf(confidence),
    crossing: because.interpolated === true ? ('passage' as const) : still,
  };
}

/** The bits of an alert by their names. */
function alertWords(bits: number): string | undefined {
  if (bits === 0) return undefined;
  return allOf(alertsIn(t.events, bits)) || count(bits);
}
