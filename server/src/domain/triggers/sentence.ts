import type { Firing } from './evaluator.ts';

/** What a firing says to a person. */
export function sentenceOf(firing: Pick<Firing, 'rule' | 'kind' | 'facts'>, deviceName: string): string {
  const { rule, kind, facts } = firing;
  const zone = (facts.zone as { name: string | null } | undefined)?.name ?? 'a zone';
  const value = rounded(facts.value);
  switch (rule.type) {
    case 'geofence':
    case 'geoEntry':
      return `${deviceName} ${kind === 'entry' ? 'entered' : 'left'} ${zone}`;
    case 'lowBat':
      return `${deviceName} has ${value} % battery left`;
    case 'speed':
      return `${deviceName} goes ${value} km/h, over the limit of ${facts.limit} km/h`;
    case 'distance':
      return `${deviceName} went ${value} km today, over the limit of ${facts.limit} km`;
    case 'button':
      return `The button of ${deviceName} was pressed`;
    case 'acc':
      return `${deviceName} was dropped`;
    case 'alertMode':
      return `${deviceName} raised an alert`;
    case 'motionStart':
      return `${deviceName} started moving`;
    case 'motionStop':
      return `${deviceName} stopped moving`;
    case 'offline':
      return `${deviceName} was not heard for ${duration(rule.parameters.after as number)}`;
    case 'proximity':
      return `${deviceName} is near ${facts.otherName ?? 'another device'}`;
    case 'expiresDaily':
    case 'expiresWeekly':
      return `The plan of ${deviceName} ends ${rule.type === 'expiresDaily' ? 'within a day' : 'within a week'}`;
    case 'newLoc':
    case 'newWakeLoc':
    case 'newAvailLoc':
      return `${deviceName} reported its position`;
    case 'newReading':
      return `${deviceName} reported ${facts.type}: ${rounded(facts.value)}`;
    case 'newMsg':
      return `${deviceName} sent a message`;
    default:
      return `${deviceName}: ${MEASURES[rule.type] ?? rule.type} is ${value}${limits(facts)}`;
  }
}

const MEASURES: Record<string, string> = {
  temp: 'temperature',
  temp_bme: 'temperature',
  humidity: 'humidity',
  pressure: 'pressure',
  lightLevel: 'light',
  ultraLevel: 'distance',
  extAccel: 'force',
};

function limits(facts: Firing['facts']): string {
  const { value, min, max, limit } = facts as { value: number; min?: number; max?: number; limit?: number };
  if (min !== undefined && value < min) return `, below ${min}`;
  const above = max ?? limit;
  return above === undefined ? '' : `, above ${above}`;
}

const rounded = (value: unknown) =>
  typeof value === 'number' ? Math.round(value * 10) / 10 : JSON.stringify(value)?.slice(0, 100);

function duration(seconds: number): string {
  if (seconds < 120) return `${seconds} seconds`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} minutes`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} hours` : `${Math.round(seconds / 86_400)} days`;
}

/** Which of the published sub-kinds a firing about a zone is. */
export function subtypeOf({ rule }: Pick<Firing, 'rule'>): string | undefined {
  if (rule.type === 'geoEntry') return 'entry';
  return rule.type === 'geofence' ? ((rule.parameters.zoneType as string | undefined) ?? 'cross') : undefined;
}
