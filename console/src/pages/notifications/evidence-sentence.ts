import type { TriggerTypeName } from '@trackway/contract/triggers.ts';
import type { Explanation } from '../../api/notifications.ts';
import { count, duration } from '../../format/quantities.ts';
import { list } from '../../texts/en/triggers.ts';
import { t } from '../../texts/t.ts';
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
  const type = String(notification.params.type) as TriggerTypeName;
  const why = WHY[type]?.({ type, because, device, format });
  return why === undefined ? sentence : withOutcome(why, explained.notification);
}

function withOutcome(why: string, { status, reason, late }: Explained['notification']): string {
  const because = (reason ?? '').replace(/\.$/, '');
  if ((status === 'suppressed' || status === 'retracted') && because !== '') return words[status](because, why);
  return late ? words.late(why) : why;
}

interface Asked {
  readonly type: TriggerTypeName;
  readonly because: Facts;
  readonly device: string;
  readonly format: Quantities;
}
type Why = (asked: Asked) => string | undefined;

const said = ({ type, because, format }: Asked, name: string) => quantityOf(type, because[name], format) ?? '';
const reported: Why = ({ type, device }) => words.reported[type as keyof typeof words.reported](device);
const expires: Why = ({ because, device }) => words.expires(device, timeIn(because.expires) ?? '');

/** A type that is new does not compile until it says here why it fires. */
const WHY: Readonly<Record<TriggerTypeName, Why>> = {
  geofence: crossingOf,
  geoEntry: crossingOf,
  speed: (asked) => words.speed(asked.device, said(asked, 'value'), said(asked, 'limit')),
  distance: (asked) => words.distance(asked.device, said(asked, 'value'), said(asked, 'limit')),
  lowBat: (asked) => words.battery(asked.device, said(asked, 'value'), said(asked, 'threshold')),
  temp: measuredOf,
  temp_bme: measuredOf,
  humidity: measuredOf,
  pressure: measuredOf,
  lightLevel: measuredOf,
  ultraLevel: measuredOf,
  extAccel: measuredOf,
  newReading: (asked) => words.reading(asked.device, String(asked.because.type), said(asked, 'value')),
  motionStart: ({ because, device }) => words.motionStart(device, timeIn(because.since) ?? ''),
  motionStop: ({ because, device }) => words.motionStop(device, timeIn(because.since) ?? ''),
  tow: (asked) => words.towed(asked.device, said(asked, 'value'), said(asked, 'limit')),
  offline: ({ because, device }) =>
    words.silent(device, timeIn(because.heardAt) ?? '', duration(Number(because.after))),
  proximity: nearOf,
  expiresDaily: expires,
  expiresWeekly: expires,
  alertMode: alertOf,
  newLoc: reported,
  newWakeLoc: reported,
  newAvailLoc: reported,
  newMsg: reported,
  button: reported,
  acc: reported,
};

function crossingOf({ because, device, format }: Asked): string | undefined {
  const fence = zoneOf(because)?.name ?? words.theFence;
  const confidence = confidenceOf(because);
  const [first] = evidenceOf(because);
  if (first === undefined || confidence === undefined) return undefined;
  if (because.interpolated === true) return words.passed(device, fence, surenessOf(confidence));
  const { insideBy, outsideBy } = t.notifications;
  const where = (first.distanceM < 0 ? insideBy : outsideBy)(format.distance(Math.abs(first.distanceM)));
  const sentence = first.stopped ? words.crossedStopped : words.crossed;
  return sentence(device, where, fence, format.distance(first.accuracyM), surenessOf(confidence));
}

function measuredOf(asked: Asked): string {
  const { type, because, device } = asked;
  const what = words.measures[type as keyof typeof words.measures];
  const bound = because.max === undefined ? 'limit' : 'max';
  const value = Number(because.value);
  if (value < Number(because.min)) return words.below(what, device, said(asked, 'value'), said(asked, 'min'));
  if (value > Number(because[bound])) return words.above(what, device, said(asked, 'value'), said(asked, bound));
  return words.measured(what, device, said(asked, 'value'));
}

function nearOf({ because: { otherName, meters, by }, device, format }: Asked): string {
  const other = typeof otherName === 'string' ? otherName : words.anotherDevice;
  return by === 'position' || by === 'uwb_seen'
    ? words.near(device, other, format.distance(Number(meters)))
    : words.nearByRadio(device, other);
}

/** The bits of an alert, by the names that the form of the trigger gives them. */
function alertOf({ because: { alerts }, device }: Asked): string {
  const bits = Number(alerts ?? 0);
  const named = t.triggers.fields.alerts.filter((_, bit) => (bits & (1 << bit)) !== 0);
  if (bits === 0) return words.reported.alertMode(device);
  return words.alerts(device, named.length > 0 ? list(named).toLowerCase() : count(bits));
}
