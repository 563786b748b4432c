import { keep, type TriggerDefinition } from '../evaluator.ts';

export const newReading: TriggerDefinition = {
  evaluator: {
    onReading(rule, state, { at, id, type, value }) {
      const wanted = rule.parameters.readingType;
      if (wanted && wanted !== type) return keep(state);
      return { state, firings: [{ kind: 'reading', at, decidedAt: at, readingId: id, facts: { type, value } }] };
    },
  },
};
