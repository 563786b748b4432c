import { areaOf, type Shape } from './area.ts';
import { capsOf } from './fence-index.ts';
import type { FenceRule } from './membership.ts';

/** One version of a fence: a rule with its area as drawn, and the time range of its validity. */
export interface FenceVersion extends Omit<FenceRule, 'area'> {
  readonly shape: Shape;
  readonly deviceId: number | null;
  readonly validFrom: number;
  readonly validTo: number;
}

/** Number of versions that share arrays. */
const PAGE = 1024;

interface Page {
  /** For each version the numbers named by `FIELD`. */
  readonly fields: Float64Array;
  /** Latitude, longitude and radius of a circle; latitude and longitude of each vertex of an outline. */
  readonly shapes: Float64Array;
  /** Texts and rarely differing fields, as JSON. */
  readonly texts: Buffer;
}

const FIELD = {
  fenceId: 0,
  version: 1,
  shapedAt: 2,
  deviceId: 3,
  validFrom: 4,
  validTo: 5,
  /** The ends of its shape and its text. The next version starts there. */
  shapeEnd: 6,
  textEnd: 7,
} as const;
const WIDTH = 8;
const ANY_DEVICE = -1;

/**
 * Versions of fences in compact form: a user may have 100,000 of them, and a fleet comes near few. A rule is created
 * from a version on demand. Versions are numbered in the order of insertion.
 */
export class PackedVersions {
  readonly userId: number;
  readonly #pages: Page[] = [];
  readonly #caps: Float64Array[] = [];
  #open: (FenceVersion & Pick<FenceRule, 'area'>)[] = [];

  constructor(userId: number) {
    this.userId = userId;
  }

  /** A fence without a shape contains no place, and is left out. */
  add(version: FenceVersion): void {
    const area = areaOf(version.shape);
    if (area === undefined) return;
    this.#open.push({ ...version, area });
    if (this.#open.length === PAGE) this.#turnPage();
  }

  /**
   * Completes the insertion.
   * @returns the input of an index
   */
  end(): Float64Array {
    if (this.#open.length > 0) this.#turnPage();
    const caps = new Float64Array(this.#caps.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const some of this.#caps.splice(0)) {
      caps.set(some, at);
      at += some.length;
    }
    return caps;
  }

  field(number: number, name: keyof typeof FIELD): number {
    return this.#pages[Math.floor(number / PAGE)]!.fields[(number % PAGE) * WIDTH + FIELD[name]]!;
  }

  inForce(number: number, at: number, deviceId: number): boolean {
    const { fields } = this.#pages[Math.floor(number / PAGE)]!;
    const first = (number % PAGE) * WIDTH;
    if (fields[first + FIELD.validFrom]! > at || at >= fields[first + FIELD.validTo]!) return false;
    const only = fields[first + FIELD.deviceId]!;
    return only === ANY_DEVICE || only === deviceId;
  }

  /** The device, if the fence is for a single one. */
  deviceOf(number: number): number | undefined {
    const only = this.field(number, 'deviceId');
    return only === ANY_DEVICE ? undefined : only;
  }

  rule(number: number): FenceRule {
    const { shapes, texts } = this.#pages[Math.floor(number / PAGE)]!;
    const isFirst = number % PAGE === 0;
    const shapeStart = isFirst ? 0 : this.field(number - 1, 'shapeEnd');
    const textStart = isFirst ? 0 : this.field(number - 1, 'textEnd');
    const text = texts.toString('utf8', textStart, this.field(number, 'textEnd'));
    const [name, foreignId, group, enter, exit, enterAfterMs, exitAfterMs] = JSON.parse(text) as OtherFields;
    return {
      fenceId: this.field(number, 'fenceId'),
      version: this.field(number, 'version'),
      shapedAt: this.field(number, 'shapedAt'),
      userId: this.userId,
      name,
      foreignId,
      group,
      area: areaOf(shapeOf(shapes.subarray(shapeStart, this.field(number, 'shapeEnd'))))!,
      enter,
      exit,
      enterAfterMs,
      exitAfterMs,
    };
  }

  #turnPage(): void {
    const versions = this.#open;
    this.#open = [];
    this.#caps.push(capsOf(versions.map(({ area }) => area)));
    const fields = new Float64Array(versions.length * WIDTH);
    const shapes: number[] = [];
    const texts: string[] = [];
    let textEnd = 0;
    for (const [index, version] of versions.entries()) {
      const { fenceId, shapedAt, deviceId, validFrom, validTo } = version;
      shapes.push(...numbersOf(version.shape));
      const text = JSON.stringify(otherFieldsOf(version));
      texts.push(text);
      textEnd += Buffer.byteLength(text);
      const values = [fenceId, version.version, shapedAt, deviceId ?? ANY_DEVICE, validFrom, validTo];
      fields.set([...values, shapes.length, textEnd], index * WIDTH);
    }
    this.#pages.push({ fields, shapes: Float64Array.from(shapes), texts: Buffer.from(texts.join('')) });
  }
}

type OtherFields = readonly [
  name: string | null,
  foreignId: string | null,
  group: string | null,
  enter: number,
  exit: number,
  enterAfterMs: number,
  exitAfterMs: number,
];

const otherFieldsOf = (version: FenceVersion): OtherFields => [
  version.name,
  version.foreignId,
  version.group,
  version.enter,
  version.exit,
  version.enterAfterMs,
  version.exitAfterMs,
];

/** Three numbers are a circle: an outline has two per vertex. */
const CIRCLE = 3;

function numbersOf({ outline, center, radius }: Shape): number[] {
  if (outline && outline.length > 0) return outline.flatMap(({ lat, lng }) => [lat, lng]);
  return [center!.lat, center!.lng, radius!];
}

function shapeOf(numbers: Float64Array): Shape {
  if (numbers.length === CIRCLE) return { center: { lat: numbers[0]!, lng: numbers[1]! }, radius: numbers[2]! };
  const outline = [];
  for (let at = 0; at < numbers.length; at += 2) outline.push({ lat: numbers[at]!, lng: numbers[at + 1]! });
  return { outline };
}
