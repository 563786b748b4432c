import { keep, type TriggerDefinition } from '../evaluator.ts';

/** The reading by which a tracker raises an alarm; its value is the alarm. */
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
  sentence: (device, { facts }) => `${device} raised an alarm: ${inWords(String(facts.value))}`,
};

/** `harshBraking` is "harsh braking". */
const inWords = (word: string) => word.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
