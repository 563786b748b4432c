import type { Spot } from '../ground.ts';
import { hash, Random } from '../random.ts';
import { type Street, type StreetKind, type Streets, streetsAt } from '../streets.ts';

/** Streets as people name them: one name from one end to the other. */
export interface NamedStreet {
  readonly name: string;
  readonly kind: StreetKind;
  readonly isBridge: boolean;
  readonly isTunnel: boolean;
  readonly line: readonly Spot[];
}

const FIRST = [
  ...['Mill', 'Church', 'Harbour', 'Station', 'Orchard', 'Bakers', 'Linden', 'Chestnut', 'Castle', 'Garden', 'Weavers'],
  ...['Bridge', 'Market', 'School', 'Willow', 'Foundry', 'Chapel', 'Vineyard', 'Ferry', 'Meadow', 'Coopers', 'Kiln'],
  ...['Observatory', 'Library', 'Theatre', 'Canal', 'Abbey', 'Tailors', 'Lantern', 'Quarry', 'Maple', 'Rowan', 'Birch'],
  ...['Hazel', 'Clock Tower', 'Potters', 'Saddlers', 'Glass', 'Copper', 'Silver', 'Salt', 'Wool', 'Corn', 'Fountain'],
];
const LAST: Readonly<Record<StreetKind, readonly string[]>> = {
  street: ['Street', 'Lane', 'Road', 'Row', 'Walk', 'Place'],
  avenue: ['Avenue', 'Boulevard'],
  link: ['Gate Road'],
  ring: ['Ring Road'],
};
/** A street that turns more than this has another name from there on. */
const TURN = Math.cos((35 / 180) * Math.PI);

/** Joins pieces of street that go straight on, and names them. The pieces of a bridge or tunnel stay apart. */
export function nameStreets({ nodes, streets }: Streets, seed: number): NamedStreet[] {
  const at = streetsAt({ nodes, streets });
  const random = new Random(hash(seed, 31));
  const names = namer(random);
  const isNamed = new Set<number>();
  const named: NamedStreet[] = [];
  const alike = (a: Street, b: Street) => a.kind === b.kind && a.isBridge === b.isBridge && a.isTunnel === b.isTunnel;

  const straightOn = (from: number, through: number, as: Street): { street: number; node: number } | undefined => {
    let best: { street: number; node: number } | undefined;
    let most = TURN;
    for (const street of at[through]!) {
      const next = streets[street]!;
      if (isNamed.has(street) || !alike(next, as)) continue;
      const node = next.a === through ? next.b : next.a;
      const straightness = cosine(nodes[from]!, nodes[through]!, nodes[node]!);
      if (straightness > most) [most, best] = [straightness, { street, node }];
    }
    return best;
  };

  streets.forEach((street, index) => {
    if (isNamed.has(index)) return;
    isNamed.add(index);
    const chain = [street.a, street.b];
    for (const isForward of [true, false]) {
      for (;;) {
        const [from, through] = isForward ? [chain.at(-2)!, chain.at(-1)!] : [chain[1]!, chain[0]!];
        const next = straightOn(from, through, street);
        if (next === undefined) break;
        isNamed.add(next.street);
        if (isForward) chain.push(next.node);
        else chain.unshift(next.node);
      }
    }
    const { kind, isBridge, isTunnel } = street;
    named.push({ name: names(kind), kind, isBridge, isTunnel, line: chain.map((node) => nodes[node]!) });
  });
  return named;
}

function namer(random: Random): (kind: StreetKind) => string {
  const used = new Set<string>();
  return (kind) => {
    if (kind === 'ring') return 'Ring Road';
    for (;;) {
      const last = LAST[kind];
      const name = `${FIRST[random.below(FIRST.length)]} ${last[random.below(last.length)]}`;
      if (!used.has(name) || used.size >= FIRST.length * 2) {
        used.add(name);
        return name;
      }
    }
  };
}

function cosine(a: Spot, b: Spot, c: Spot): number {
  const [x, y, u, v] = [b.x - a.x, b.y - a.y, c.x - b.x, c.y - b.y];
  return (x * u + y * v) / (Math.hypot(x, y) * Math.hypot(u, v) || 1);
}
