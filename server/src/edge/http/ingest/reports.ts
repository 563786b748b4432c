import type { IncomingHttpHeaders } from 'node:http';
import type { ReportAnswer, ReportingIdentity, ReportReceiver, TrackerGateway } from '../../../calls.ts';
import { timeNow } from '../../../platform/clock.ts';
import { authorizationRequired } from '../../../refusals.ts';
import { reportOf } from '../../listeners/report-body.ts';
import type { ReadBody } from '../body.ts';
import type { FailureLimit, RateLimit } from '../rate-limit.ts';
import { keyOfCaller } from '../trust-proxy.ts';
import { countReport, type Endpoint, jsonAnswer } from './endpoint.ts';

export interface IngestOptions {
  readonly reception: ReportReceiver;
  /** Records phones that send an unknown identifier. */
  readonly notes: Pick<TrackerGateway, 'noteUnknown'>;
  readonly bodyLimit: number;
  readonly maxItems: number;
  /** Reports per minute allowed for each device. */
  readonly limit: RateLimit;
  /** Wrong keys and identifiers per minute allowed for each address. */
  readonly failures: FailureLimit;
}

/** `POST /ingest/reports`: our own protocol. */
export function reportsEndpoint(options: IngestOptions, readBody: ReadBody): Endpoint {
  const { reception, bodyLimit, maxItems, limit, failures } = options;
  return {
    operation: 'ingest reports',
    methods: ['POST'],
    bodyLimit,
    async begin(request) {
      const address = keyOfCaller(request);
      const key = keyIn(request.headers);
      const identity = await deviceByKey(options, address, key);
      if (identity === undefined) throw authorizationRequired();
      return async (bytes) => {
        const body = readBody(bytes, request.headers);
        const now = timeNow();
        countReport(limit, identity.deviceId, request, now);
        const received = await receiveBody(reception, identity, body, now, maxItems);
        if (received === undefined) {
          failures.failed(address, now);
          throw authorizationRequired();
        }
        failures.succeeded(address, key!);
        return jsonAnswer(received);
      };
    },
  };
}

/** Returns the device of a key. An address that sends too many wrong keys is rejected. */
export async function deviceByKey(
  { reception, failures }: Pick<IngestOptions, 'reception' | 'failures'>,
  address: string,
  key: string | undefined,
): Promise<ReportingIdentity | undefined> {
  const now = timeNow();
  failures.check(address, now, key);
  const identity = key === undefined ? undefined : await reception.deviceOfKey(key);
  if (identity === undefined) failures.failed(address, now);
  return identity;
}

/** Returns undefined if the key no longer belongs to the device, even if the body is invalid too. */
export async function receiveBody(
  reception: ReportReceiver,
  identity: ReportingIdentity,
  body: unknown,
  now: number,
  maxItems: number,
): Promise<ReportAnswer | undefined> {
  let parsed: ReturnType<typeof reportOf>;
  try {
    parsed = reportOf(body, now, maxItems);
  } catch (error) {
    if (!(await reception.isCurrent(identity))) return undefined;
    throw error;
  }
  return reception.receive(identity, parsed.report, parsed.confirmation, now);
}

/** The key in the headers of a device's request. */
export function keyIn(headers: IncomingHttpHeaders): string | undefined {
  const { authorization } = headers;
  if (authorization === undefined) return undefined;
  return basicPassword(headers) ?? authorization.replace(/^bearer\s+/i, '').trim();
}

export function basicPassword(headers: IncomingHttpHeaders): string | undefined {
  const encoded = /^basic\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  return Buffer.from(encoded, 'base64').toString('utf8').split(':').slice(1).join(':') || undefined;
}
