import type { Version } from '@trackway/contract/operation.ts';
import type { BodyOf, OperationName, ParametersIn, PathOf, QueryOf } from '@trackway/contract/operations.ts';

/** The input of each operation, derived from the contract. */

/** An id or a name in a path. `me` means the caller in place of a user id. */
export type Id = number | string;

type Keys<K extends OperationName> = { readonly [Name in ParametersIn<PathOf<K>>]: Id };
type Body<K extends OperationName> = undefined extends BodyOf<K> ? unknown : { readonly body?: BodyOf<K> };

/** Path parameters, query parameters and body in one object: `{ id: 5, fk: 501, body: { rssi: -60 } }`. */
export type Input<K extends OperationName> = Keys<K> & Readonly<QueryOf<K>> & Body<K>;

/** Options of a single call. */
export interface CallOptions {
  /** Defaults to the first version of the operation. */
  readonly version?: Version;
  /** Aborts the call. */
  readonly signal?: AbortSignal;
  /** Rejects the call with a `TimeoutError` after this time. Defaults to the timeout of the client. */
  readonly timeoutMs?: number;
  /** For a POST: repeated requests with the same key and body take effect once, and get the first response. */
  readonly idempotencyKey?: string;
}
