/** The exports of the published package. */
export type { Filter, Version, Where } from '@trackway/contract/operation.ts';
export type { AnswerOf, BodyOf, OperationName } from '@trackway/contract/operations.ts';
export type { Page } from '@trackway/contract/page.ts';
export { ApiError, type ApiErrorCode, isApiError } from './api-error.ts';
export { type Client, type ClientOptions, createClient } from './client.ts';
export type { CallOptions, Id, Input } from './input.ts';
export { listEntries, pageEntries } from './pages.ts';
export { type LiveEvent, type LiveOptions, liveEvents, type TextOperation, textLines } from './streams.ts';
