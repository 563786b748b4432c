import { absolute, deltas, type Geometry, type Spot, type Topology } from './topology.ts';

/**
 * A flat map ends at ±180°, but some countries go on beyond. A ring that crosses would be filled all the way around the
 * world, so it is cut into one ring on each side.
 */
export function cutAtAntimeridian(topology: Topology): Topology {
  const cut = new Cut(topology);
  const countries = topology.objects.countries!;
  return {
    ...topology,
    objects: {
      countries: { ...countries, geometries: countries.geometries!.map((country) => cut.country(country)) },
    },
    arcs: cut.arcs.map(deltas),
  };
}

/** Whether an arc runs along the end of the flat map: a cut, which is neither a coast nor a border. */
export const isCut = (arc: readonly Spot[], { transform }: Topology): boolean =>
  absolute(arc).every(([x]) => x === 0) ||
  absolute(arc).every(([x]) => x === widthOf(transform.scale[0])) ||
  absolute(arc).every(([, y]) => y === 0);

const widthOf = (scaleDeg: number) => Math.round(360 / scaleDeg);

/** Arcs that follow each other, from one place on the edge of the flat map to another. */
type Chain = number[];

class Cut {
  readonly arcs: Spot[][] = [];
  readonly #width: number;
  readonly #piecesOf: number[][];

  constructor(topology: Topology) {
    this.#width = widthOf(topology.transform.scale[0]);
    this.#piecesOf = topology.arcs.map((arc) => this.#split(absolute(arc)).map((piece) => this.#add(piece)));
  }

  country(country: Geometry): Geometry {
    const parts = country.type === 'Polygon' ? [country.arcs as number[][]] : (country.arcs as number[][][]);
    return { ...country, type: 'MultiPolygon', arcs: parts.flatMap((rings) => this.#polygon(rings)) };
  }

  /** Splits an arc where it leaves the map and comes back at the other end, and around what runs along the edge. */
  #split(points: Spot[]): Spot[][] {
    const pieces: Spot[][] = [[points[0]!]];
    for (const [index, to] of points.entries()) {
      const from = points[index - 1];
      if (from === undefined) continue;
      if (Math.abs(to[0] - from[0]) > this.#width / 2) {
        const [end, start] = this.#crossing(from, to);
        pieces.at(-1)!.push(end);
        pieces.push([start, to]);
      } else if (this.#isAlongEdge(from, to)) pieces.push([from, to], [to]);
      else pieces.at(-1)!.push(to);
    }
    return pieces.map(withoutRepeats).filter(({ length }) => length > 1);
  }

  /** Where a line from `from` to `to` leaves the map, and where it enters it again. */
  #crossing(from: Spot, to: Spot): [Spot, Spot] {
    const goesEast = from[0] > to[0];
    const there = to[0] + (goesEast ? this.#width : -this.#width);
    const edge = goesEast ? this.#width : 0;
    const share = there === from[0] ? 0 : (edge - from[0]) / (there - from[0]);
    const y = Math.round(from[1] + share * (to[1] - from[1]));
    return [
      [edge, y],
      [this.#width - edge, y],
    ];
  }

  #isAlongEdge(from: Spot, to: Spot): boolean {
    const isAtSide = from[0] === to[0] && (from[0] === 0 || from[0] === this.#width);
    return isAtSide || (from[1] === 0 && to[1] === 0);
  }

  #add(points: Spot[]): number {
    return this.arcs.push(points) - 1;
  }

  #polygon(rings: number[][]): number[][][] {
    const pieces = rings.map((ring) => ring.flatMap((arc) => this.#run(arc))).filter(({ length }) => length > 0);
    const chains = pieces.map((ring) => this.#chains(ring));
    const whole = pieces.filter((_, index) => chains[index]!.length === 0);
    const open = chains.flat();
    if (open.length === 0) return [whole];
    // The few polygons that are cut have no holes besides those that are cut as well.
    return [...this.#closed(open), ...whole].map((ring) => [ring]);
  }

  #run(arc: number): number[] {
    return arc >= 0 ? this.#piecesOf[arc]! : this.#piecesOf[~arc]!.map((piece) => ~piece).reverse();
  }

  /** The open chains of a ring that leaves the map; none for one that stays. */
  #chains(ring: number[]): Chain[] {
    const breaks = ring.flatMap((arc, index) => {
      const next = ring[(index + 1) % ring.length]!;
      return isSame(this.#end(arc), this.#start(next)) ? [] : [index + 1];
    });
    return breaks.map((from, index) => {
      const to = breaks[index + 1] ?? breaks[0]! + ring.length;
      return Array.from({ length: to - from }, (_, step) => ring[(from + step) % ring.length]!);
    });
  }

  /** Along each edge, the inside lies between the first end and the second, the third and the fourth, and so on. */
  #closed(chains: Chain[]): number[][] {
    const links = new Map<Chain, { arc: number; next: Chain }>();
    for (const edge of [0, this.#width]) {
      const ends = chains
        .flatMap((chain) => [
          { chain, isStart: true, spot: this.#start(chain[0]!) },
          { chain, isStart: false, spot: this.#end(chain.at(-1)!) },
        ])
        .filter(({ spot }) => spot[0] === edge)
        .sort((one, other) => one.spot[1] - other.spot[1]);
      for (let index = 0; index < ends.length; index += 2) {
        const pair = ends.slice(index, index + 2);
        const [end, start] = [pair.find(({ isStart }) => !isStart), pair.find(({ isStart }) => isStart)];
        if (!end || !start) throw new Error('A ring crosses ±180° in a way that leaves it open');
        links.set(end.chain, { arc: this.#add([end.spot, start.spot]), next: start.chain });
      }
    }
    const rings: number[][] = [];
    for (const left = new Set(chains); left.size > 0; ) {
      const ring: number[] = [];
      for (let [chain] = left; chain && left.delete(chain); chain = links.get(chain)!.next)
        ring.push(...chain, links.get(chain)!.arc);
      rings.push(ring);
    }
    return rings;
  }

  #start(arc: number): Spot {
    return arc >= 0 ? this.arcs[arc]![0]! : this.arcs[~arc]!.at(-1)!;
  }

  #end(arc: number): Spot {
    return this.#start(~arc);
  }
}

const isSame = (one: Spot, other: Spot) => one[0] === other[0] && one[1] === other[1];

const withoutRepeats = (points: Spot[]) =>
  points.filter((point, index) => index === 0 || !isSame(point, points[index - 1]!));
