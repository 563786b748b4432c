import type { Spot } from './ground.ts';

/** A street network on flat ground: what is driven on. */

export type StreetKind = 'street' | 'avenue' | 'link' | 'ring';

export interface Street {
  /** Its two ends, as places in the list of nodes. Every street is open both ways. */
  readonly a: number;
  readonly b: number;
  readonly kind: StreetKind;
  readonly lengthM: number;
  readonly limitKmh: number;
  readonly isBridge: boolean;
  /** No satellite is seen there. */
  readonly isTunnel: boolean;
  /** Between high houses, where satellites are seen badly. */
  readonly isCanyon: boolean;
}

export interface Streets {
  readonly nodes: readonly Spot[];
  readonly streets: readonly Street[];
  /** Its middle line. */
  readonly river: readonly Spot[];
  /** The city without its ring road fits in a circle of this size. */
  readonly radiusM: number;
}

export const LIMIT_KMH: Readonly<Record<StreetKind, number>> = { street: 30, avenue: 50, link: 70, ring: 90 };

/** For each node, the streets that end there. */
export function streetsAt({ nodes, streets }: Pick<Streets, 'nodes' | 'streets'>): readonly (readonly number[])[] {
  const at: number[][] = nodes.map(() => []);
  streets.forEach(({ a, b }, index) => {
    at[a]!.push(index);
    at[b]!.push(index);
  });
  return at;
}
