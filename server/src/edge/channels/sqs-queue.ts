import { QUEUE_ARN } from '@trackway/contract/queue-arn.ts';

/** Where a queue is, by its ARN alone: an address out of a user's hand would lead the operator's credentials anywhere. */

export interface Queue {
  readonly region: string;
  readonly url: string;
  readonly isFifo: boolean;
}

export function queueOf(arn: string, endpoint: string): Queue | undefined {
  const [, partition, region, account, name] = QUEUE_ARN.exec(arn) ?? [];
  if (region === undefined || name === undefined) return undefined;
  const host = `https://sqs.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}`;
  const base = endpoint === '' ? host : endpoint.replace(/\/+$/, '');
  return { region, url: `${base}/${account}/${name}`, isFifo: name.endsWith('.fifo') };
}

/** Whether one of a comma list of patterns stands for an ARN; `*` in a pattern is anything. */
export function isAllowed(arn: string, patterns: string): boolean {
  return patterns.split(/[\s,]+/).some((pattern) => pattern !== '' && matches(arn, pattern.split('*')));
}

/** By hand: a regular expression of many stars could be made to take for ever. */
function matches(text: string, parts: readonly string[]): boolean {
  const [first = '', ...rest] = parts;
  if (rest.length === 0) return text === first;
  const last = rest.pop()!;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let at = first.length;
  const end = text.length - last.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
