import { cellReadings } from '../record/cells.ts';
import { decimalOf } from '../text/numbers.ts';
import { textOf } from '../text/readings.ts';
import { readable } from '../text/utf8.ts';
import type { TrackerReading, TrackerRecord } from '../tracker.ts';

const MOST_PARAMETERS = 100;
const OURS = /^(?:alarm|last_place|cell|wifi)$/;

type Value = number | string | boolean;

/** `name:type:value,…`. Those without a meaning of their own become readings of their names. */
export function parametersOf(
  text: string,
): Pick<TrackerRecord, 'batteryPct' | 'batteryVoltage' | 'accuracyM' | 'alarms' | 'readings'> {
  const values = valuesOf(text);
  const battery = numberOf(values, 'battery');
  const level = numberOf(values, 'bat') ?? (battery !== undefined && battery > 5 ? battery : undefined);
  const accuracy = numberOf(values, 'accuracy');
  return {
    batteryPct: level !== undefined && level >= 0 && level <= 100 ? level : undefined,
    batteryVoltage: battery !== undefined && battery > 0 && battery <= 5 ? battery : undefined,
    accuracyM: accuracy !== undefined && accuracy >= 0 ? accuracy : undefined,
    alarms: values.get('sos') === 1 ? ['sos'] : [],
    readings: readingsFrom(values),
  };
}

function valuesOf(text: string): Map<string, Value> {
  const values = new Map<string, Value>();
  for (const parameter of text.split(',').slice(0, MOST_PARAMETERS)) {
    const [, name, value] = /^\s*([^:]{1,40}):[1-3]:(.*)$/s.exec(parameter) ?? [];
    if (name !== undefined) values.set(readable(name).toLowerCase(), parameterOf(value!));
  }
  return values;
}

const parameterOf = (text: string): Value =>
  /^(?:true|false)$/i.test(text) ? text.toLowerCase() === 'true' : (decimalOf(text) ?? textOf(readable(text), 200));

function numberOf(values: ReadonlyMap<string, Value>, name: string): number | undefined {
  const value = values.get(name);
  return typeof value === 'number' ? value : undefined;
}

const TOLD_ELSEWHERE = /^(?:bat|battery|accuracy|sos|(?:mcc|mnc|lac|cell_id)\d?)$/;
const NAMES: Readonly<Record<string, string>> = { motion: 'moving', ign: 'ignition' };
const FLAGS = /^(?:moving|ignition|charging|door)$/;

function readingsFrom(values: ReadonlyMap<string, Value>): TrackerReading[] {
  const cells = ['', 1, 2, 3, 4, 5, 6, 7, 8, 9].map((suffix) => ({
    mcc: numberOf(values, `mcc${suffix}`),
    mnc: numberOf(values, `mnc${suffix}`),
    lac: numberOf(values, `lac${suffix}`) ?? 0,
    cid: numberOf(values, `cell_id${suffix}`) ?? 0,
  }));
  const others = [...values]
    .filter(([name]) => !TOLD_ELSEWHERE.test(name))
    .map(([name, value]) => {
      const type = OURS.test(name) ? `param_${name}` : (NAMES[name] ?? name);
      return { type, value: FLAGS.test(type) && typeof value === 'number' ? value !== 0 : value };
    });
  return [...cellReadings(cells), ...others];
}
