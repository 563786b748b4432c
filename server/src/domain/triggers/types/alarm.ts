import { keep, type TriggerDefinition } from '../evaluator.ts';

/** The reading type of a tracker's alarms; its value is the alarm. */
const ALARM = 'alarm';

export const alarm: TriggerDefinition = {
  evaluator: {
    onReading(rule, state, { at, id, type, value }) {
      const wanted = rule.parameters.alarms as readonly unknown[] | undefined;
      if (type !== ALARM || typeof value !== 'string') return keep(state);
      if (wanted !== undefined && wanted !== null && wanted.length > 0 && !wanted.includes(value)) return keep(state);
      return { state, firings: [{ kind: 'alarm', at, decidedAt: at, readingId: id, facts: { value } }] };
    },
  },
};
