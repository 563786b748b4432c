import { isObject, type Json, nameOf, parseJson } from './claims.ts';
import { firstOf, gather, type PhoneMessage } from './gather.ts';
import { MAX_KEY, MAX_NAME, MAX_PAIRS } from './limits.ts';
import { decodeFlat, type FlatPair, pairsOfObject } from './osmand-flat.ts';
import { decodeLocation } from './osmand-json.ts';
import type { Decoded, Malformed, PhoneAnswer, PhoneProtocol, PhoneRequest, ReportOutcome } from './phone.ts';

/**
 * The OsmAnd app, all versions of Traccar Client, and many scripts and boards. They send a query string (≤ 8), JSON
 * (9.x), a form (10.x), or a JSON array of objects with the form's keys.
 */
export const osmand: PhoneProtocol = { name: 'osmand', decode, answer };

/** Parameters that identify the device. */
const IDENTITY = new Set(['key', 'id', 'deviceid', 'device_id']);

/** A query with a place is a complete report; without one it may only identify the device for the body. */
const PLACE = new Set(['lat', 'lon', 'location']);

function decode(request: PhoneRequest): Decoded | Malformed {
  const query = request.query.slice(0, MAX_PAIRS);
  const isPlaceInQuery = query.some(([name]) => PLACE.has(name));
  const body = request.body.trim();
  const claimsJson = /^application\/json/i.test(request.contentType);
  // Scripts send JSON with any content type: curl declares it as a form by default.
  if (body !== '' && (claimsJson || (!isPlaceInQuery && /^[[{]/.test(body)))) {
    const json = parseJson(body);
    if (isObject(json) || Array.isArray(json)) return decodeJson(json, query, request.now);
    if (claimsJson && query.every(([name]) => IDENTITY.has(name))) {
      return { malformed: 'the body is not a JSON object or array' };
    }
  }
  const pairs = isPlaceInQuery || claimsJson ? query : [...query, ...formPairs(body)];
  return gather([pairs], (flat) => decodeFlat(flat, request.now), keyOf(pairs));
}

function decodeJson(json: Json | unknown[], query: readonly FlatPair[], now: number) {
  const sent = Array.isArray(json) ? json : isObject(json) ? batchOf(json) : [];
  const named = nameOf(firstOf(query, 'id', 'deviceid', 'device_id'), MAX_NAME);
  const unit = query.filter(([name]) => name === 'speedUnit');
  const decodeOne = (message: unknown): PhoneMessage => {
    if (!isObject(message)) return { ignored: 'it is not a JSON object' };
    const decoded = isObject(message.location)
      ? decodeLocation(message)
      : decodeFlat([...pairsOfObject(message), ...unit], now);
    return { ...decoded, identifier: decoded.identifier ?? named };
  };
  return gather(sent, decodeOne, keyOf(query));
}

/** A location library of many apps sends several locations under one name if batching is on. */
function batchOf(json: Json): Json[] {
  if (!Array.isArray(json.location)) return [json];
  return json.location.map((location) => ({ device_id: json.device_id, location }));
}

const formPairs = (body: string): FlatPair[] => [...new URLSearchParams(body).entries().take(MAX_PAIRS)];

const keyOf = (pairs: readonly FlatPair[]) => ({ key: nameOf(firstOf(pairs, 'key'), MAX_KEY) });

/** The body is the text of one command, or empty; the app checks only the status. */
function answer(outcome: ReportOutcome): PhoneAnswer {
  const contentType = 'text/plain; charset=utf-8';
  if ('problem' in outcome) {
    return { status: outcome.status, contentType, body: outcome.problem, commandSent: false };
  }
  return { status: 200, contentType, body: outcome.command ?? '', commandSent: outcome.command !== undefined };
}
