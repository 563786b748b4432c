import {
  type Evaluator,
  type Firing,
  keep,
  type Reading,
  type TriggerRule,
  type TriggerState,
  type Verdict,
} from '../evaluator.ts';

/** Triggers that fire when a value passes a limit, and arm again once it is back beyond a margin. */

interface Seen {
  readonly value: number;
  readonly at: number;
  readonly pointId?: number;
  readonly readingId?: number;
}

interface Level {
  readonly over: (value: number) => boolean;
  readonly back: (value: number) => boolean;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly forMs?: number;
}

function step(rule: TriggerRule, before: TriggerState | undefined, seen: Seen, level: Level): Verdict {
  const { value, at } = seen;
  const state = before ?? { version: rule.version };
  if (state.on) return keep(level.back(value) ? { version: rule.version } : state);
  if (!level.over(value)) return keep(state.since === undefined ? state : { version: rule.version });
  const since = state.since ?? at;
  if (at - since < (level.forMs ?? 0)) return keep({ version: rule.version, since });
  const { pointId, readingId } = seen;
  const firing: Omit<Firing, 'rule'> = {
    kind: 'over',
    at,
    decidedAt: at,
    pointId,
    readingId,
    facts: { value, since, ...level.facts },
  };
  return { state: { version: rule.version, on: true, since }, firings: [firing] };
}

const BATTERY_MARGIN = 5;
export const lowBat: Evaluator = {
  onFix(rule, state, { fix }) {
    if (fix.batteryPct === undefined) return keep(state);
    const threshold = (rule.parameters.threshold as number | undefined) ?? 30;
    const level: Level = {
      over: (value) => value <= threshold,
      back: (value) => value > threshold + BATTERY_MARGIN,
      facts: { threshold },
    };
    return step(rule, state, { value: fix.batteryPct, at: fix.at, pointId: fix.pointId }, level);
  },
};

export const speed: Evaluator = {
  onFix(rule, state, { fix }) {
    if (fix.speedKmh === undefined || fix.place === undefined) return keep(state);
    const limit = rule.parameters.limit as number;
    const margin = Math.max(3, limit * 0.05);
    const forMs = ((rule.parameters.for as number | undefined) ?? 0) * 1000;
    const level: Level = {
      over: (value) => value > limit,
      back: (value) => value < limit - margin,
      facts: { limit },
      forMs,
    };
    return step(rule, state, { value: fix.speedKmh, at: fix.at, pointId: fix.pointId }, level);
  },
};

/** Once a day at the most: with the next UTC day it counts from nothing. */
export const distance: Evaluator = {
  onFix(rule, state, { fix, day, dayKm }) {
    const limit = rule.parameters.limit as number;
    const days = rule.parameters.days as number[] | undefined;
    if (state?.day === day || dayKm <= limit) return keep(state);
    if (days && days.length > 0 && !days.includes(new Date(fix.at).getUTCDay())) return keep(state);
    const firing = {
      kind: 'over',
      at: fix.at,
      decidedAt: fix.at,
      pointId: fix.pointId,
      facts: { value: dayKm, limit, day },
    };
    return { state: { version: rule.version, day }, firings: [firing] };
  },
};

const READING_MARGIN = 0.02;

/** A reading of a type below `min` or above `max`. */
function measured(types: readonly string[], measureOf: (value: unknown) => unknown = (value) => value): Evaluator {
  return {
    onReading(rule, state, reading: Reading) {
      if (!types.includes(reading.type)) return keep(state);
      const value = measureOf(reading.value);
      if (typeof value !== 'number' || !Number.isFinite(value)) return keep(state);
      return step(rule, state, { value, at: reading.at, readingId: reading.id }, range(rule));
    },
  };
}

function range({ parameters }: TriggerRule): Level {
  const min = (parameters.min as number | null | undefined) ?? Number.NEGATIVE_INFINITY;
  const max = (parameters.max as number | null | undefined) ?? Number.POSITIVE_INFINITY;
  const inner = (bound: number) => (Number.isFinite(bound) ? Math.abs(bound) * READING_MARGIN : 0);
  return {
    over: (value) => value < min || value > max,
    back: (value) => value >= min + inner(min) && value <= max - inner(max),
    facts: { ...(Number.isFinite(min) && { min }), ...(Number.isFinite(max) && { max }) },
  };
}

export const temp = measured(['temp']);
export const temp_bme = measured(['temp_bme']);
export const humidity = measured(['humidity']);
export const pressure = measured(['pressure']);
export const lightLevel = measured(['light']);
export const ultraLevel = measured(['ultra'], (value) => (value as { distance?: unknown } | null)?.distance);

export const extAccel: Evaluator = {
  onReading(rule, state, { at, id, type, value }) {
    if (type !== 'acc_maxForce' || typeof value !== 'number') return keep(state);
    const limit = rule.parameters.limit as number;
    const level: Level = {
      over: (force) => force > limit,
      back: (force) => force <= limit - Math.abs(limit) * READING_MARGIN,
      facts: { limit },
    };
    return step(rule, state, { value, at, readingId: id }, level);
  },
};
