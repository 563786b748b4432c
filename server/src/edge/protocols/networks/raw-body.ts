import { isObject, nameOf, parseJson } from '../claims.ts';
import { MAX_NAME } from '../limits.ts';
import type { NotUsable } from './network.ts';

/** A tracker frame that a mobile network received and posts here, with the identity of the SIM card. */
export interface RawFrame {
  readonly bytes: Buffer;
  /** Possible identifiers of the device. */
  readonly names: readonly string[];
}

/** Headers that mobile networks use to identify a SIM card or its device. */
const HEADERS = ['x-imei', 'x-iccid', 'x-device', 'x-soracom-imei', 'x-soracom-sim-id'] as const;
const FIELDS = ['imei', 'iccid', 'device', 'deviceId', 'device_id', 'sim', 'endpoint'] as const;
const INNER = ['imei', 'iccid', 'id'] as const;

/** The raw bytes, or `{"data": base64 or hex, "device": …}`. */
export function rawFrameOf(
  body: Buffer,
  contentType: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): RawFrame | NotUsable {
  const named = HEADERS.flatMap((header) => nameOf(headers[header], MAX_NAME) ?? []);
  if (!/json/i.test(contentType)) return body.length === 0 ? { notUsable: 'no bytes' } : { bytes: body, names: named };
  const json = parseJson(body.toString('utf8'));
  if (!isObject(json)) return { notUsable: 'the body is not a JSON object' };
  const { payload } = json;
  const data = json.data ?? (isObject(payload) ? payload.value : payload);
  const bytes = bytesIn(data, json.encoding);
  if (bytes === undefined) return { notUsable: 'no bytes: "data" must be base64 or hexadecimal digits' };
  const inBody = FIELDS.flatMap((field) => {
    const value = json[field];
    return (isObject(value) ? INNER.map((inner) => value[inner]) : [value]).flatMap(
      (one) => nameOf(one, MAX_NAME) ?? [],
    );
  });
  return { bytes, names: [...new Set([...named, ...inBody])] };
}

/** Pairs of hexadecimal digits could be base64 too, but would then not decode to a valid frame. */
function bytesIn(data: unknown, encoding: unknown): Buffer | undefined {
  if (typeof data !== 'string' || data === '') return undefined;
  const isHex = encoding === 'hex' || (encoding !== 'base64' && /^(?:[0-9a-f]{2})+$/i.test(data));
  if (isHex) return /^(?:[0-9a-f]{2})+$/i.test(data) ? Buffer.from(data, 'hex') : undefined;
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(data) ? Buffer.from(data, 'base64') : undefined;
}
