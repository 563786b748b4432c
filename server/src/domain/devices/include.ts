import type { Call } from '../../calls.ts';
import type { Filter } from '../../platform/filter/parse.ts';

/** How a related thing of a device is read, by its name in `include`. Whoever owns the relation provides it. */
export type Included = Readonly<Record<string, (deviceId: number, scope: unknown, call: Call) => Promise<string>>>;

/** The devices with what was asked for beside each, and only the fields that were asked for, as JSON text. */
export async function withIncluded(
  devices: Record<string, unknown>[],
  filter: Filter,
  included: Included,
  call: Call,
): Promise<string> {
  const texts: string[] = [];
  for (const device of devices) {
    const parts = filter.shape.map(({ name }) => `${JSON.stringify(name)}:${JSON.stringify(device[name])}`);
    for (const { relation, scope } of filter.include) {
      parts.push(`${JSON.stringify(relation)}:${await included[relation]!(device.id as number, scope, call)}`);
    }
    texts.push(`{${parts.join(',')}}`);
  }
  return `[${texts.join(',')}]`;
}
