import type { Call } from '../../calls.ts';
import { badRequest } from '../../platform/errors.ts';
import type { Include } from '../../platform/filter/include.ts';
import type { Filter } from '../../platform/filter/parse.ts';

const MAX_ANSWER = 32 * 1024 * 1024;

/** How a related thing of a device is read, by its name in `include`. Whoever owns the relation provides it. */
export type Included = Readonly<Record<string, (deviceId: number, wanted: Include, call: Call) => Promise<string>>>;

/** The devices with what was asked for beside each, and only the fields that were asked for, as JSON text. */
export async function withIncluded(
  devices: Record<string, unknown>[],
  filter: Filter,
  included: Included,
  call: Call,
): Promise<string> {
  const texts: string[] = [];
  let size = 0;
  for (const [index, device] of devices.entries()) {
    // Others get a turn in between, however many devices there are.
    if (index % 20 === 19) await new Promise((resolve) => setImmediate(resolve));
    const parts = filter.shape.map(({ name }) => `${JSON.stringify(name)}:${JSON.stringify(device[name])}`);
    for (const wanted of filter.include) {
      const { relation } = wanted;
      parts.push(`${JSON.stringify(relation)}:${await included[relation]!(device.id as number, wanted, call)}`);
    }
    const text = `{${parts.join(',')}}`;
    size += text.length;
    if (size > MAX_ANSWER)
      throw badRequest('include: the answer would be too large. Add a limit, or a scope with a limit');
    texts.push(text);
  }
  return `[${texts.join(',')}]`;
}
