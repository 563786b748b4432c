import { DEFAULT_FORWARDED_TYPES, FORWARDED_TYPES } from '@trackway/contract/forwarding.ts';
import { invalidField } from '../../refusals.ts';

const ARN =
  /^arn:(aws|aws-cn|aws-us-gov):sqs:([a-z]{2,}(?:-[a-z]+)+-\d{1,2}):(\d{12}):([A-Za-z0-9_-]{1,80}|[A-Za-z0-9_-]{1,75}\.fifo)$/;

export const isQueueArn = (text: string): boolean => ARN.test(text);

/** A full ARN of a queue and nothing that only looks like one; a queue's URL could lead anywhere. */
export function requireQueueArn(sent: string): string {
  if (!isQueueArn(sent)) {
    throw invalidField('forwarding', 'sqsArn', 'format', 'is not the ARN of a queue: arn:aws:sqs:region:account:name');
  }
  return sent;
}

/** A JSON array or a comma list of what to forward, each once. */
export function forwardedTypes(sent: string | readonly string[] | null | undefined): string[] {
  if (sent === undefined || sent === null || sent === '') return [...DEFAULT_FORWARDED_TYPES];
  const types = typeof sent === 'string' ? namesIn(sent) : sent;
  for (const type of types) {
    if (!(FORWARDED_TYPES as readonly string[]).includes(type)) {
      throw invalidField(
        'forwarding',
        'types',
        'inclusion',
        `holds ${JSON.stringify(type).slice(0, 60)}, which is not one of ${FORWARDED_TYPES.join(', ')}`,
      );
    }
  }
  if (types.length === 0)
    throw invalidField('forwarding', 'types', 'presence', `must name at least one of ${FORWARDED_TYPES.join(', ')}`);
  return FORWARDED_TYPES.filter((type) => types.includes(type));
}

function namesIn(sent: string): string[] {
  if (!sent.trim().startsWith('[')) return sent.split(',').map((name) => name.trim());
  try {
    return JSON.parse(sent) as string[];
  } catch {
    throw invalidField('forwarding', 'types', 'format', 'is neither a JSON array nor a comma list');
  }
}
