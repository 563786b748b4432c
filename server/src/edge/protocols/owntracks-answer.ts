import type { Friend } from '../../reports.ts';
import { isObject, parseJson, withoutUnset } from './claims.ts';
import { encrypted } from './owntracks-secret.ts';
import type { PhoneAnswer, ReportOutcome } from './phone.ts';

const MAX_FRIENDS = 200;
const ACTIONS = new Set([
  ...[
    'reportLocation',
    'setWaypoints',
    'clearWaypoints',
    'setConfiguration',
    'waypoints',
    'dump',
    'status',
    'reportSteps',
  ],
]);

/** A JSON array: empty, or positions and names of friends, and a command. It is encrypted if the phone encrypts. */
export function answer(outcome: ReportOutcome): PhoneAnswer {
  const contentType = 'application/json; charset=utf-8';
  if ('problem' in outcome) {
    const body = JSON.stringify({ error: outcome.problem });
    return { status: outcome.status, contentType, body, commandSent: false };
  }
  const command = commandOf(outcome.command);
  const friends = (outcome.friends ?? []).slice(0, MAX_FRIENDS).flatMap((friend) => friendMessages(friend));
  const messages = command === undefined ? friends : [...friends, command];
  const sealed = outcome.secret === undefined ? undefined : encrypted(messages, outcome.secret);
  const body = JSON.stringify(sealed ?? messages);
  return { status: 200, contentType, body, commandSent: command !== undefined };
}

/** An action by its name, or a whole `cmd` object as JSON; the apps would not understand anything else. */
function commandOf(text: string | undefined): object | undefined {
  if (text === undefined) return undefined;
  const action = text.trim();
  if (ACTIONS.has(action)) return { _type: 'cmd', action };
  const command = parseJson(action);
  return isObject(command) && command._type === 'cmd' && ACTIONS.has(String(command.action)) ? command : undefined;
}

/** The apps identify friends by topic, and take the name from the card with the same topic. */
export function friendMessages({ id, name, point }: Friend, base = 'owntracks/friends/'): object[] {
  if (point.location === undefined || point.timestamp === undefined) return [];
  const topic = `${base}${id}`;
  const tid = [...name.trim()].slice(0, 2).join('') || '?';
  const location = withoutUnset({
    _type: 'location',
    topic,
    tid,
    lat: point.location.lat,
    lon: point.location.lng,
    tst: Math.floor(point.timestamp / 1000),
    acc: whole(point.accuracyM),
    alt: whole(point.altitudeM),
    vel: whole(point.speedKmh),
    cog: whole(point.courseDeg),
    batt: whole(point.batteryPct),
  });
  return [location, { _type: 'card', topic, tid, name }];
}

/** The apps expect integers. */
const whole = (value: number | undefined) => (value === undefined ? undefined : Math.round(value));
