import type { Explanation } from '../../api/notifications.ts';
import { count, duration } from '../../format/quantities.ts';
import { alarmInWords } from '../../forms/alarm-words.ts';
import { isKnownType } from '../../forms/trigger-draft.ts';
import { allOf } from '../../texts/counting.ts';
import { t } from '../../texts/t.ts';
import type { WhyCrossing, WhyParts } from '../../texts/trigger-parts.ts';
import { confidenceOf, evidenceOf, type Quantities, quantityOf, surenessOf, timeIn, zoneOf } from './reasons.ts';

const words = t.notifications.because;
type Facts = Explanation['because'];
type Explained = Pick<Explanation, 'because' | 'sentence'> & {
  readonly notification: Pick<Explanation['notification'], 'params' | 'status' | 'reason' | 'late'>;
};

/**
 * Why a trigger fired, said to people in their units: "Van 3 was 0.8 mi outside Home (± 26 ft). Certain." The server's
 * own sentence is for those that this console does not know.
 */
export function evidenceSentence(explained: Explained, device: string, format: Quantities): string {
  const { notification, because, sentence } = explained;
  const type = String(notification.params.type);
  const why = isKnownType(type) ? t.triggers.why[type](device, partsOf(type, because, format)) : undefined;
  return why === undefined ? sentence : withOutcome(why, explained.notification);
}

function withOutcome(why: string, { status, reason, late }: Explained['notification']): string {
  const because = (reason ?? '').replace(/\.$/, '');
  if ((status === 'suppressed' || status === 'retracted') && because !== '') return words[status](because, why);
  return late ? words.late(why) : why;
}

function partsOf(type: string, because: Facts, format: Quantities): WhyParts {
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
    alerts: alertsIn(Number(because.alerts ?? 0)),
    since: time('since'),
    heardAt: time('heardAt'),
    after: duration(Number(because.after)),
    expires: time('expires'),
    task: String(because.task ?? ''),
    rest: restIn(because, format),
    other: typeof otherName === 'string' ? otherName : undefined,
    apart: by === 'position' || by === 'uwb_seen' ? format.distance(Number(meters)) : undefined,
    crossing: crossingIn(because, format),
  };
}

function restIn({ restKm, restS }: Facts, format: Quantities): string | undefined {
  if (typeof restKm === 'number') return restKm > 0 ? format.distance(restKm * 1000) : undefined;
  return typeof restS === 'number' && restS > 0 ? duration(restS) : undefined;
}

function crossingIn(because: Facts, format: Quantities): WhyCrossing | undefined {
  const confidence = confidenceOf(because);
  const [first] = evidenceOf(because);
  if (first === undefined || confidence === undefined) return undefined;
  const { insideBy, outsideBy } = t.notifications;
  return {
    fence: zoneOf(because)?.name ?? undefined,
    where: (first.distanceM < 0 ? insideBy : outsideBy)(format.distance(Math.abs(first.distanceM))),
    accuracy: format.distance(first.accuracyM),
    sure: surenessOf(confidence),
    isStopped: first.stopped,
    isPassage: because.interpolated === true,
  };
}

/** The bits of an alert by their names. */
function alertsIn(bits: number): string | undefined {
  if (bits === 0) return undefined;
  const named = t.wording.alerts.filter((_, bit) => (bits & (1 << bit)) !== 0);
  return named.length > 0 ? allOf(named) : count(bits);
}
