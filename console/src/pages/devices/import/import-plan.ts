import type { Device } from '../../../api/devices.ts';
import { type CsvRow, plainCell } from './csv.ts';

/** What a table of devices would change: decided before anything is sent, so that it can be looked at. */

/** The columns that are taken over. `id`, `imei` and `serial` say which device a row is about. */
export const TAKEN = ['name', 'type', 'imei', 'serial', 'iccid', 'tags', 'color'] as const;
export type Taken = (typeof TAKEN)[number];
export type Values = { readonly [Name in Taken]?: string | readonly string[] | null };
export type Known = Pick<Device, 'id' | Taken>;

export interface Change {
  readonly field: Taken;
  readonly before: string;
  readonly after: string;
}

export type PlannedRow = { readonly line: number; readonly name: string } & (
  | { readonly kind: 'create'; readonly values: Values }
  | {
      readonly kind: 'change';
      readonly id: number;
      readonly values: Values;
      /** What the device has now, for whoever takes the change back. */
      readonly before: Values;
      readonly changes: readonly Change[];
    }
  | { readonly kind: 'same' }
  | { readonly kind: 'wrong'; readonly problem: Problem }
);

export type Problem = 'noName' | 'unknownId' | 'twoDevices' | 'twice' | 'tooLong';

export interface ImportPlan {
  readonly rows: readonly PlannedRow[];
  /** Columns that mean nothing here. */
  readonly ignored: readonly string[];
  /** Whether the table has a column that can be taken over. */
  readonly isReadable: boolean;
}

const LONGEST: { readonly [Name in Taken]: number } = {
  name: 200,
  type: 100,
  imei: 64,
  serial: 64,
  iccid: 64,
  tags: 4000,
  color: 40,
};

export const tagsOf = (text: string): string[] =>
  text
    .split(/[;|]/)
    .map((tag) => tag.trim())
    .filter(Boolean);
export const tagsText = (tags: readonly string[]): string => tags.join('; ');

export function planImport([head, ...rows]: readonly CsvRow[], devices: readonly Known[]): ImportPlan {
  const columns = (head?.cells ?? []).map((cell) => cell.trim().toLowerCase());
  const taken = columns.map((column) => TAKEN.find((name) => name === column));
  const idAt = columns.indexOf('id');
  const isReadable = taken.some((name) => name !== undefined);
  const find = finder(devices);
  const seen = new Set<number | string>();
  const planned = rows.map((row): PlannedRow => {
    const given: Partial<Record<Taken, string>> = {};
    for (const [at, name] of taken.entries())
      if (name !== undefined && row.cells[at] !== undefined) given[name] = plainCell(row.cells[at]);
    const idText = idAt < 0 ? '' : plainCell(row.cells[idAt] ?? '');
    const { line } = row;
    const wrong = (problem: Problem): PlannedRow => ({ kind: 'wrong', line, name: given.name || idText, problem });
    if (TAKEN.some((name) => (given[name]?.length ?? 0) > LONGEST[name])) return wrong('tooLong');
    const found = find(idText, given.imei ?? '', given.serial ?? '');
    if (found === 'unknownId' || found === 'twoDevices') return wrong(found);
    const keys = found === undefined ? newKeys(given) : [found.id];
    if (keys.some((key) => seen.has(key))) return wrong('twice');
    for (const key of keys) seen.add(key);
    if (found === undefined) {
      if (!given.name) return wrong('noName');
      const values = Object.fromEntries(
        TAKEN.filter((name) => given[name]).map((name) => [name, fieldOf(name, given[name]!)]),
      );
      return { kind: 'create', line, name: given.name, values };
    }
    return changeOf(line, found, given);
  });
  const ignored = columns.filter((name, at) => taken[at] === undefined && at !== idAt && name !== '');
  return { rows: isReadable ? planned : [], ignored, isReadable };
}

const newKeys = ({ imei, serial }: Partial<Record<Taken, string>>) => [
  ...(imei ? [`imei ${imei}`] : []),
  ...(serial ? [`serial ${serial}`] : []),
];

function finder(devices: readonly Known[]) {
  const byId = new Map(devices.map((device) => [String(device.id), device]));
  const by = (name: 'imei' | 'serial') =>
    new Map(devices.flatMap((device) => (device[name] ? [[device[name], device] as const] : [])));
  const [byImei, bySerial] = [by('imei'), by('serial')];
  return (id: string, imei: string, serial: string): Known | 'unknownId' | 'twoDevices' | undefined => {
    if (id !== '') return byId.get(id) ?? 'unknownId';
    const found = new Set([byImei.get(imei), bySerial.get(serial)].filter((device) => device !== undefined));
    if (found.size > 1) return 'twoDevices';
    return [...found][0];
  };
}

function changeOf(line: number, device: Known, given: Partial<Record<Taken, string>>): PlannedRow {
  const changes: Change[] = [];
  const values: Record<string, unknown> = {};
  const before: Record<string, unknown> = {};
  for (const name of TAKEN) {
    const after = given[name];
    // An empty cell leaves what is there: it is more often a gap in a table than a wish to delete.
    if (after === undefined || after === '') continue;
    const was = name === 'tags' ? tagsText(device.tags ?? []) : (device[name] ?? '');
    const becomes = name === 'tags' ? tagsText(tagsOf(after)) : after;
    if (was === becomes) continue;
    changes.push({ field: name, before: was, after: becomes });
    values[name] = fieldOf(name, after);
    before[name] = device[name];
  }
  const of = { line, name: device.name ?? `#${device.id}` };
  if (changes.length === 0) return { ...of, kind: 'same' };
  return { ...of, kind: 'change', id: device.id, values: values as Values, before: before as Values, changes };
}

const fieldOf = (name: Taken, text: string) => (name === 'tags' ? tagsOf(text) : text);
