import { deviceIconOf } from '@trackway/contract/device-icons.ts';
import type { Device } from '../../../api/devices.ts';
import type { Field } from './columns.ts';
import { type CsvRow, plainCell } from './csv.ts';

/** The changes of a device table, computed before anything is sent, so that they can be reviewed. */

/** The fields of a device that are imported unchanged. */
const TAKEN = ['name', 'type', 'imei', 'serial', 'iccid', 'tags', 'color'] as const;
type Taken = (typeof TAKEN)[number];
export type Values = { readonly [Name in Taken]?: string | readonly string[] | null } & {
  readonly allowKeyless?: boolean;
  readonly meta?: Device['meta'];
};
export type Known = Pick<Device, 'id' | 'allowKeyless' | 'meta' | Taken> & {
  readonly plate: string | null;
  /** The names of the groups that it is in. */
  readonly groups: readonly string[];
};
type Given = Partial<Record<Field, string>>;

export interface Change {
  readonly field: Field | 'allowKeyless';
  readonly before: string;
  readonly after: string;
}

/** What is not stored with the device: the plate of its vehicle, and the names of its group and its driver. */
interface Related {
  readonly plate?: string;
  readonly group?: string;
  readonly driver?: string;
}

export type PlannedRow = { readonly line: number; readonly name: string } & (
  | ({ readonly kind: 'create'; readonly values: Values } & Related)
  | ({
      readonly kind: 'change';
      readonly id: number;
      readonly values: Values;
      readonly plateBefore: string | null;
      /** The current values of the device, for undoing. */
      readonly before: Values;
      readonly changes: readonly Change[];
    } & Related)
  | { readonly kind: 'same' }
  | { readonly kind: 'wrong'; readonly problem: Problem }
);

export type Problem = 'noName' | 'unknownId' | 'twoDevices' | 'twice' | 'tooLong' | 'rounded';

const LONGEST: { readonly [Name in Field]: number } = {
  ...{ id: 20, name: 200, type: 100, imei: 64, serial: 64, iccid: 64, tags: 4000, color: 40 },
  ...{ plate: 40, icon: 100, group: 100, driver: 200 },
};
/** A long number that a spreadsheet has rounded. */
const ROUNDED = /^\d([.,]\d+)?E\+\d+$/i;

export const tagsOf = (text: string): string[] =>
  text
    .split(/[;|]/)
    .map((tag) => tag.trim())
    .filter(Boolean);
export const tagsText = (tags: readonly string[]): string => tags.join('; ');

/**
 * @param columns what each column contains
 * @param allowsKeyless whether devices with an IMEI or a serial number in the table may report by it
 */
export function planImport(
  rows: readonly CsvRow[],
  columns: readonly (Field | undefined)[],
  devices: readonly Known[],
  { allowsKeyless = false } = {},
): PlannedRow[] {
  const find = finder(devices);
  const seen = new Set<number | string>();
  return rows.map((row): PlannedRow => {
    const given: Given = {};
    for (const [at, field] of columns.entries())
      if (field !== undefined && row.cells[at] !== undefined) given[field] = plainCell(row.cells[at]);
    const { line } = row;
    const { id = '', imei = '', serial = '', iccid = '' } = given;
    const name = given.name || given.plate || '';
    const wrong = (problem: Problem): PlannedRow => ({ kind: 'wrong', line, name: name || id, problem });
    if (Object.entries(given).some(([field, text]) => text.length > LONGEST[field as Field])) return wrong('tooLong');
    if ([imei, serial, iccid].some((text) => ROUNDED.test(text))) return wrong('rounded');
    const found = find(id, imei, serial);
    if (found === 'unknownId' || found === 'twoDevices') return wrong(found);
    const keys = found === undefined ? newKeys(given) : [found.id];
    if (keys.some((key) => seen.has(key))) return wrong('twice');
    for (const key of keys) seen.add(key);
    const mayReport = allowsKeyless && newKeys(given).length > 0;
    if (found !== undefined) return changeOf(line, found, given, mayReport);
    if (name === '') return wrong('noName');
    const own = Object.fromEntries(TAKEN.filter((one) => given[one]).map((one) => [one, valueIn(one, given[one]!)]));
    const meta = metaOf(given, null);
    return {
      kind: 'create',
      line,
      name,
      values: { ...own, name, ...(meta && { meta }), ...(mayReport && { allowKeyless: true }) },
      ...(given.plate && { plate: given.plate }),
      ...(given.group && { group: given.group }),
      ...(given.driver && { driver: given.driver }),
    };
  });
}

/** The custom data of a device with the icon of the table; undefined where it is the same. */
function metaOf(given: Given, meta: Device['meta']): NonNullable<Device['meta']> | undefined {
  const icon = given.icon && deviceIconOf(given.icon.toLowerCase(), given.icon);
  return icon && meta?.icon !== icon ? { ...meta, icon } : undefined;
}

const newKeys = ({ imei, serial }: Given) => [
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

function changeOf(line: number, device: Known, given: Given, mayReport: boolean): PlannedRow {
  const changes: Change[] = [];
  const values: Record<string, unknown> = {};
  const before: Record<string, unknown> = {};
  for (const name of TAKEN) {
    const after = given[name];
    // An empty cell keeps the current value: it is rather a gap in a table than a deletion.
    if (after === undefined || after === '') continue;
    const was = name === 'tags' ? tagsText(device.tags ?? []) : (device[name] ?? '');
    const becomes = name === 'tags' ? tagsText(tagsOf(after)) : after;
    if (was === becomes) continue;
    changes.push({ field: name, before: was, after: becomes });
    values[name] = valueIn(name, after);
    before[name] = device[name];
  }
  const meta = metaOf(given, device.meta);
  if (meta) {
    values.meta = meta;
    before.meta = device.meta;
    changes.push({ field: 'icon', before: String(device.meta?.icon ?? ''), after: String(meta.icon) });
  }
  const { plate, group, driver } = given;
  const isNewPlate = plate && plate !== device.plate;
  if (isNewPlate) changes.push({ field: 'plate', before: device.plate ?? '', after: plate });
  const isNewGroup = group && !device.groups.some((one) => one.toLowerCase() === group.toLowerCase());
  if (isNewGroup) changes.push({ field: 'group', before: device.groups.join(', '), after: group });
  if (driver) changes.push({ field: 'driver', before: '', after: driver });
  if (mayReport && !device.allowKeyless) {
    changes.push({ field: 'allowKeyless', before: 'false', after: 'true' });
    values.allowKeyless = true;
    before.allowKeyless = false;
  }
  const of = { line, name: device.name ?? `#${device.id}` };
  if (changes.length === 0) return { ...of, kind: 'same' };
  return {
    ...of,
    kind: 'change',
    id: device.id,
    values: values as Values,
    before: before as Values,
    changes,
    plateBefore: device.plate,
    ...(isNewPlate && { plate }),
    ...(isNewGroup && { group }),
    ...(driver && { driver }),
  };
}

const valueIn = (name: Taken, text: string) => (name === 'tags' ? tagsOf(text) : text);
