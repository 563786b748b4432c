import type { Version } from '@trackway/contract/operation.ts';
import type { BodyOf, OperationName, PathOf, QueryOf } from '@trackway/contract/operations.ts';

/** What a caller gives to an operation. All of it follows from the contract; there is nothing per operation here. */

/** A key in a path. `me` is the caller, wherever a user is asked for. */
export type Id = number | string;

/** The names between the braces of a path. */
export type Parameters<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Parameters<Rest>
  : never;

type Keys<K extends OperationName> = { readonly [Name in Parameters<PathOf<K>>]: Id };
type Body<K extends OperationName> = undefined extends BodyOf<K> ? unknown : { readonly body?: BodyOf<K> };

/** Path keys, query, filter or where, and body, side by side: `{ id: 5, fk: 501, body: { rssi: -60 } }`. */
export type Input<K extends OperationName> = Keys<K> & Readonly<QueryOf<K>> & Body<K>;

/** How to make one call. */
export interface CallOptions {
  /** The first version of the operation unless said. */
  readonly version?: Version;
  /** Ends the call early. */
  readonly signal?: AbortSignal;
  /** Ends the call with a `TimeoutError` after so long; the client's own limit unless said. */
  readonly timeoutMs?: number;
}
