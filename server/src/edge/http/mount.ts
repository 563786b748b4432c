import { Readable } from 'node:stream';
import { accept, take, type Violation, Wrong } from '@trackway/contract/accept.ts';
import type { Operation, Version } from '@trackway/contract/operation.ts';
import { BASES, OPERATIONS, type OperationName } from '@trackway/contract/operations.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  type Call,
  type Caller,
  type Gate,
  type Handlers,
  JsonText,
  type QueryPairs,
  TextStream,
} from '../../calls.ts';
import { badRequest } from '../../platform/errors.ts';
import { authorizationRequired, invalid } from '../../refusals.ts';
import type { Meter } from './meter.ts';
import { type FindTarget, targetFinder } from './path-ids.ts';
import { queryPairs } from './query.ts';
import { type Allowance, type RateLimit, refuseOverdrawn } from './rate-limit.ts';
import { tokenOf } from './token.ts';

export interface Desk {
  readonly handlers: Handlers;
  readonly gate: Gate;
  /** Requests of a user, or of an address that shows no valid token. */
  readonly limit: RateLimit;
  /** Requests of an address where passwords can be guessed. */
  readonly guarded: RateLimit;
}

/** Mounts every operation of the contract on the versions it belongs to. */
export function mountOperations(server: FastifyInstance, desk: Desk, meter: Meter): void {
  for (const name of Object.keys(OPERATIONS) as OperationName[]) {
    const operation: Operation = OPERATIONS[name];
    const findTarget = targetFinder(operation, desk.gate);
    for (const version of operation.versions) {
      server.route({
        // Generated clients of the framework that the API was published with update by PATCH as well.
        method: methodsOf(operation),
        url: BASES[version] + operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
        config: { operation: name, version },
        handler: async (request, reply) => {
          const started = performance.now();
          const answer = await serve(desk, name, operation, findTarget, request, reply);
          meter.note(name, reply.statusCode, (performance.now() - started) / 1000);
          return answer;
        },
      });
    }
  }
}

/** Reads are answered to HEAD as well; a GET that changes something and a stream are not. */
function methodsOf({ method, changes, media }: Operation): string[] {
  if (method === 'PUT') return ['PUT', 'PATCH'];
  return method === 'GET' && !changes && media === undefined ? ['GET', 'HEAD'] : [method];
}

/** The way of a request: who, how often, on what, with what; then the answer. */
async function serve(
  desk: Desk,
  name: OperationName,
  operation: Operation,
  findTarget: FindTarget,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | string> {
  const now = Date.now();
  if (operation.changes && isPrefetch(request)) throw badRequest('A prefetch request must not change anything');
  const query = queryPairs(request.raw.url!);
  const caller = await identify(desk, operation, query, request, reply, now);
  const target = await findTarget(caller, request.params as Record<string, string>);
  const sent = bodyOf(operation, request.body);
  const call: Call = {
    caller: caller as Caller,
    ...target,
    query,
    parameters: operation.query ? parametersOf(operation, query) : NO_PARAMETERS,
    body: operation.body ? accepted(operation.body, sent) : undefined,
    sent,
    now,
    address: request.ip,
  };
  const handler = desk.handlers[name] as (call: Call) => Promise<unknown>;
  return answerOf(reply, operation, await handler(call));
}

const NO_PARAMETERS = Object.freeze({});

/** A browser that loads what someone might want to see must not change anything by it. */
const isPrefetch = ({ headers }: FastifyRequest) =>
  /prefetch|prerender|preview/i.test(
    `${headers['sec-purpose'] ?? ''} ${headers.purpose ?? ''} ${headers['x-moz'] ?? ''}`,
  );

export async function identify(
  desk: Desk,
  operation: Pick<Operation, 'access' | 'method' | 'changes' | 'guarded'>,
  query: QueryPairs,
  request: FastifyRequest,
  reply: FastifyReply,
  now: number,
): Promise<Caller | undefined> {
  if (operation.access === 'anyone') {
    // A published client sends a header even to the log-in, so nothing is read from it.
    count(reply, operation.guarded ? desk.guarded : desk.limit, request.ip, now);
    return undefined;
  }
  try {
    const token = tokenOf(request, operation, query);
    if (token === undefined) throw authorizationRequired();
    const caller = await desk.gate.authenticate(token, now);
    count(reply, desk.limit, `user:${caller.userId}`, now);
    if (operation.guarded) count(reply, desk.guarded, request.ip, now);
    return caller;
  } catch (error) {
    if (!reply.hasHeader('x-ratelimit-limit')) count(reply, desk.limit, request.ip, now);
    throw error;
  }
}

function count(reply: FastifyReply, limit: RateLimit, key: string, now: number): void {
  const allowance = limit.count(key, now);
  tellAllowance(reply, allowance);
  refuseOverdrawn(allowance, now);
}

export function tellAllowance(reply: FastifyReply, { limit, remaining, reset }: Allowance): void {
  reply.header('x-ratelimit-limit', limit);
  reply.header('x-ratelimit-remaining', Math.max(0, remaining));
  reply.header('x-ratelimit-reset', reset);
}

const NO_BODY: Readonly<Record<string, unknown>> = Object.freeze({});

function bodyOf(operation: Operation, body: unknown): Readonly<Record<string, unknown>> {
  if (operation.body === undefined || body === undefined) return NO_BODY;
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw badRequest('The body must be a JSON object');
  return body as Record<string, unknown>;
}

function accepted(wanted: NonNullable<Operation['body']>, sent: Readonly<Record<string, unknown>>): unknown {
  const { values, violations } = accept(wanted.noun, wanted.mode, sent as Record<string, unknown>);
  if (violations.length > 0) throw invalid(wanted.noun.name, violations);
  return values;
}

/** The declared parameters of the query string; what else stands there is not looked at. */
function parametersOf(operation: Operation, query: QueryPairs): Record<string, unknown> {
  const taken: Record<string, unknown> = {};
  const violations: Violation[] = [];
  for (const [name, schema] of Object.entries(operation.query!)) {
    // What is declared to be ignored is ignored whatever it says.
    if (name === 'refresh') continue;
    const given = query.filter(([key]) => key === name);
    if (given.length > 1) throw badRequest(`${name} is given more than once`);
    if (given.length === 0) continue;
    const value = take(schema, given[0]![1]);
    if (!(value instanceof Wrong)) taken[name] = value;
    else violations.push({ field: name, code: value.code, message: value.message });
  }
  if (violations.length > 0) throw invalid('query', violations);
  return taken;
}

/** What Fastify is to send: the JSON text, or nothing at all. */
function answerOf(reply: FastifyReply, operation: Operation, answer: unknown): FastifyReply | string {
  if (operation.answer === undefined) return reply.code(204).send();
  if (answer instanceof TextStream) {
    reply.header('content-type', answer.contentType);
    reply.header('content-disposition', `attachment; filename="${answer.fileName}"`);
    return reply.send(Readable.from(answer.chunks));
  }
  reply.header('content-type', 'application/json; charset=utf-8');
  return answer instanceof JsonText ? answer.text : JSON.stringify(answer);
}

/** The version whose way of telling errors an address calls for. */
export const versionOf = (url: string): Version => (url.startsWith(`${BASES.v2}/`) ? 'v2' : 'v1');
