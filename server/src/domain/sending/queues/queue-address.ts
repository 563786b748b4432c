import { CHANNELS } from '@trackway/contract/channels.ts';
import { DEFAULT_FORWARDED_TYPES, FORWARDED_TYPES } from '@trackway/contract/resources/forwarding.ts';
import { invalidField } from '../../../refusals.ts';

export function requireQueueArn(sent: string, context = 'forwarding', field = 'sqsArn'): string {
  const { pattern, wrong } = CHANNELS.sqs.addressForm;
  if (!pattern.test(sent)) throw invalidField(context, field, 'format', wrong);
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
