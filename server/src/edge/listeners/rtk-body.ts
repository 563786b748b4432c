import { POSITION_TYPES } from '@trackway/contract/resources/commands/rtk.ts';
import { isStorableText, parseTime } from '@trackway/contract/values.ts';
import type { ReportedRtk, RtkLogLine } from '../../reports.ts';

/** Reads what a report says of an RTK receiver. What can not be read is left out. */

type Json = Record<string, unknown>;

const MOST_LINES = 1000;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function rtkOf(sent: Json): ReportedRtk {
  const location = placeOf(isObject(sent.location) ? sent.location : {});
  const accuracy = numberOf(sent.accuracy);
  const currentBaseId = wholeOf(sent.baseId);
  const msgMask = wholeOf(sent.msgMask);
  const group = textOf(sent.group, 100);
  const log = Array.isArray(sent.log) ? sent.log.slice(-MOST_LINES).filter(isObject).map(lineOf) : [];
  return {
    positionType: positionOf(sent.positionType) ?? 'invalid',
    ...(location && { location }),
    ...(accuracy !== null && { accuracy }),
    ...(currentBaseId !== null && { currentBaseId }),
    ...(msgMask !== null && { msgMask }),
    ...(group !== null && { group }),
    log,
  };
}

function lineOf(sent: Json): RtkLogLine {
  const place = placeOf(isObject(sent.location) ? sent.location : sent);
  return {
    timestamp: parseTime(sent.timestamp),
    msgType: textOf(sent.msgType, 100),
    baseStationId: wholeOf(sent.baseStationId),
    locationType: positionOf(sent.locationType) ?? null,
    accuracy: numberOf(sent.accuracy),
    lat: place?.lat ?? null,
    lng: place?.lng ?? null,
    linkQuality: numberOf(sent.linkQuality),
    toAddress: textOf(sent.toAddress, 100),
    fromAddress: textOf(sent.fromAddress, 100),
    info: textOf(sent.info, 1000),
  };
}

const MOST_INTEGER = 2_147_483_647;

const numberOf = (value: unknown) =>
  typeof value === 'number' && Number.isFinite(value) && Math.abs(value) < 1e12 ? value : null;
const wholeOf = (value: unknown) =>
  typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= MOST_INTEGER ? value : null;
const textOf = (value: unknown, most: number) => {
  const text =
    typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, most).toWellFormed() : null;
  return text !== null && isStorableText(text) ? text : null;
};
const positionOf = (value: unknown) => POSITION_TYPES.find((type) => type === value);

function placeOf({ lat, lng }: Json): { lat: number; lng: number } | undefined {
  const isPlace = typeof lat === 'number' && typeof lng === 'number' && Math.abs(lat) <= 90 && Math.abs(lng) <= 180;
  return isPlace ? { lat, lng } : undefined;
}
