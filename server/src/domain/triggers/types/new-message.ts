import type { TriggerDefinition } from '../evaluator.ts';

export const newMsg: TriggerDefinition = {
  evaluator: {
    onMessage: (_rule, state, { at, id }) => ({
      state,
      firings: [{ kind: 'message', at, decidedAt: at, messageId: id, facts: {} }],
    }),
  },
};
