import type { Spot } from './ground.ts';

/** A street network on flat ground. */

export type StreetKind = 'street' | 'avenue' | 'link' | 'ring';

export interface Street {
  /** Indexes of its two end nodes. Every street can be used in both directions. */
  readonly a: number;
  readonly b: number;
  readonly kind: StreetKind;
  readonly lengthM: number;
  readonly limitKmh: number;
  readonly isBridge: boolean;
  /** There is no satellite reception in a tunnel. */
  readonly isTunnel: boolean;
  /** A street canyon between high buildings, with poor satellite reception. */
  readonly isCanyon: boolean;
}

export interface Streets {
  readonly nodes: readonly Spot[];
  readonly streets: readonly Street[];
  /** Centre line of the river. */
  readonly river: readonly Spot[];
  /** Radius of a circle that contains the city without its ring road. */
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
