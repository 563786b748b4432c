import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { documentChecker } from '@trackway/contract/testing/document-checker.ts';
import fc from 'fast-check';
import { isFine } from './from-document/refusals.ts';
import { type Described, operationsIn, type Request, requestsOf } from './from-document/requests.ts';
import { worldOf } from './from-document/world.ts';
import { onEitherEngine, STRICT_DEVICES } from './harness/engines.ts';
import { makePerson } from './harness/people.ts';
import { makeStation, type Voice, voiceOf } from './harness/station.ts';

const SEED = 20_261_116;
/** Requests of each operation. More find more: set it to look for a day. */
const RUNS = Number(process.env.TRACKWAY_GENERATED_RUNS ?? 5);
type Json = Record<string, unknown>;

/** They do not end with an answer, or speak the languages of apps. */
const NOT_TRIED = /^(live|socket|deviceSocket|report(By|Stream)\w*)$/;

/** Whoever has only the document can call everything: requests that it allows are not refused for their form. */
onEitherEngine(
  'requests made from the OpenAPI document',
  (running) => {
    let world: Readonly<Record<string, readonly number[]>>;
    let token: string;
    let keeper: Voice;
    before(async () => {
      ({ admin: keeper } = await makeStation(running.api));
      const caller = await anAdmin();
      world = await worldOf(running.api, caller);
      token = caller.token;
    });

    /** The keeper itself calls nothing that could end it. */
    const anAdmin = async () => voiceOf(running.api, await makePerson(running.api, keeper, 'caller', { admin: true }));

    async function send(base: string, { method }: Described, request: Request) {
      const answer = await fetch(running.server.address + base + request.path, {
        method,
        headers: {
          authorization: token,
          ...(request.body !== undefined && { 'content-type': 'application/json' }),
          ...request.headers,
        },
        ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
      });
      const text = await answer.text();
      const isJson = answer.headers.get('content-type')?.startsWith('application/json');
      return {
        status: answer.status,
        headers: answer.headers,
        text,
        body: isJson && text !== '' ? JSON.parse(text) : text || undefined,
      };
    }

    for (const [version, base] of [
      ['v1', '/api'],
      ['v2', '/v2'],
    ] as const) {
      test(`version ${version}`, async () => {
        const document = (await (await fetch(`${running.server.address}${base}/openapi.json`)).json()) as Json;
        const wrong = documentChecker(document);
        const faults: string[] = [];
        const tried = operationsIn(document).filter(({ operationId }) => !NOT_TRIED.test(operationId));
        for (const operation of tried.sort(byHarm)) {
          const requests = requestsOf(document, operation, (collection) => world[collection] ?? []);
          for (const request of fc.sample(requests, { seed: SEED, numRuns: operation.method === 'PATCH' ? 1 : RUNS })) {
            const { status, text, body } = await send(
              operation.operationId === 'report' ? '' : base,
              operation,
              request,
            );
            const received = `${operation.operationId}: ${operation.method} ${request.path} ${JSON.stringify(request.body)?.slice(0, 300)} → ${status} ${text.slice(0, 400)}`;
            const mismatch = wrong.answer(operation.operationId, status, body);
            if (mismatch !== undefined && !/[?&]fields=/.test(request.path))
              faults.push(`${received}\n    ${mismatch}`);
            else if (status >= 500 || status === 400 || status === 422) {
              if (!isFine({ operationId: operation.operationId, status, text })) faults.push(received);
            } else if (/^(logout|endSession)/.test(operation.operationId)) token = (await anAdmin()).token;
          }
        }
        assert.equal(faults.length, 0, faults.slice(0, 20).join('\n'));
      });
    }
  },
  { TRACKWAY_ALLOW_TARGETS: '127.0.0.0/8', ...STRICT_DEVICES },
);

/** What only reads comes first, then what creates, then what deletes, children before their parents. */
function byHarm(one: Described, other: Described): number {
  return harmOf(one) - harmOf(other);
}

function harmOf({ method, path }: Described): number {
  if (method === 'GET') return 0;
  return method === 'DELETE' ? 100 - path.length / 100 : 1;
}
