import { isObject, type Json, nameOf, parseJson } from './claims.ts';
import { firstOf, gather, type PhoneMessage } from './gather.ts';
import { MAX_KEY, MAX_NAME } from './limits.ts';
import { answer } from './owntracks-answer.ts';
import { decodeBeacon, decodeSteps, decodeTransition, decodeWaypoint, decodeWaypoints } from './owntracks-events.ts';
import { decodeLocation } from './owntracks-location.ts';
import { decrypted } from './owntracks-secret.ts';
import type { Decoded, Malformed, PhoneProtocol, PhoneRequest } from './phone.ts';

/** The OwnTracks apps, and trackers that use their JSON. https://owntracks.org/booklet/tech/json/ */
export const owntracks: PhoneProtocol = { name: 'owntracks', showsFriends: true, decode, answer };

function decode(request: PhoneRequest): Decoded | Malformed {
  const known = {
    identifier: userAndDevice(firstOf(request.query, 'u'), firstOf(request.query, 'd')) ?? limits(request.headers),
    key: nameOf(firstOf(request.query, 'key'), MAX_KEY),
  };
  // The apps send an empty body after a friend was deleted.
  if (request.body.trim() === '') return gather([{}], () => ({ ignored: 'it is empty' }), known);
  const json = parseJson(request.body);
  const sent: unknown[] | undefined = Array.isArray(json) ? json : isObject(json) ? [json] : undefined;
  if (sent === undefined) return { malformed: 'the body is not a JSON object or array' };
  return gather(sent, (message) => decodeMessage(message, request.secret), known);
}

const limits = (headers: PhoneRequest['headers']) => userAndDevice(headers['x-limit-u'], headers['x-limit-d']);

function decodeMessage(message: unknown, secret: string | undefined): PhoneMessage {
  if (!isObject(message)) return { ignored: 'it is not a JSON object' };
  if (message._type !== 'encrypted') return { identifier: identifierOf(message), ...decodeType(message) };
  const identifier = identifierOf(message);
  const needsSecret = secret === undefined;
  const inner = needsSecret ? undefined : decrypted(message.data, secret);
  if (inner !== undefined) return { identifier: identifier ?? identifierOf(inner), ...decodeType(inner) };
  const reason = needsSecret ? NO_SECRET : WRONG_SECRET;
  return {
    identifier,
    ignored: reason,
    unreadable: { item: message, reason },
    ...(needsSecret && { encrypted: true }),
  };
}

const NO_SECRET = 'encrypted: set the device’s OwnTracks secret';
const WRONG_SECRET = 'encrypted with another secret: set the device’s OwnTracks secret to that of the app';

function decodeType(message: Json): PhoneMessage {
  switch (message._type) {
    case 'location':
      return decodeLocation(message);
    case 'transition':
      return decodeTransition(message);
    case 'beacon':
      return decodeBeacon(message);
    case 'steps':
      return decodeSteps(message);
    case 'waypoint':
      return decodeWaypoint(message);
    case 'waypoints':
      return decodeWaypoints(message);
    default:
      return { ignored: IGNORED.get(message._type) ?? 'its type is unknown' };
  }
}

const IGNORED: ReadonlyMap<unknown, string> = new Map([
  ['status', 'the settings of the app'],
  ['configuration', 'the settings of the app'],
  ['lwt', 'the last will of the MQTT client, which is not used'],
  ['card', 'a contact card'],
  ['cmd', 'a command, which only this server sends'],
  ['request', 'a request for a tour'],
  ['encrypted', 'it is encrypted twice'],
]);

/** User and device of the topic, or else the two-letter tracker id, which is hardly unique. */
function identifierOf(message: Json): string | undefined {
  const [base, user, device] = nameOf(message.topic, 2 * MAX_NAME)?.split('/', 3) ?? [];
  return (base === 'owntracks' ? userAndDevice(user, device) : undefined) ?? nameOf(message.tid, MAX_NAME);
}

function userAndDevice(user: string | undefined, device: string | undefined): string | undefined {
  return user && device ? nameOf(`${user}/${device}`, MAX_NAME) : undefined;
}
