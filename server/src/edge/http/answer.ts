import type { Operation } from '@trackway/contract/operation.ts';
import { Created, JsonText } from '../../calls.ts';

/** Status and text of a response with a body. */

export function statusOf({ status }: Operation, answer: unknown): number {
  if (status === undefined || status === 201) return status ?? 200;
  return answer instanceof Created ? 201 : 200;
}

export function textOf(answer: unknown): string {
  const value = answer instanceof Created ? answer.answer : answer;
  return value instanceof JsonText ? value.text : JSON.stringify(value);
}
