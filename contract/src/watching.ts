import { Type } from 'typebox';
import { flag, integer, object, time } from './schema.ts';
import { SEVERITIES } from './severities.ts';

/** Maximum delay of an escalation: one week. */
const MOST_ESCALATE_S = 604_800;

/** Common fields of triggers and rules, except for what they watch. */
export const WATCH_FIELDS = {
  severity: Type.Enum([...SEVERITIES], {
    title: 'severity',
    default: 'info',
    description: 'How much its notifications matter.',
  }),
  paused: flag('Whether it is paused: it does not fire for events in that time, even if they are reported later.', {
    default: false,
  }),
  snoozedUntil: time('Until when it does not fire. Null or in the past: it is not snoozed.'),
  escalateAfter: integer('Seconds until an unacknowledged notification is also sent by `escalation`. 0 means never.', {
    minimum: 0,
    maximum: MOST_ESCALATE_S,
    default: 0,
  }),
  escalation: object(
    '`delivery` and `parameters` as in a trigger: the channels and addresses of an escalation. Required if `escalateAfter` is not 0.',
  ),
};

export const ALWAYS_WATCHED = ['severity', 'paused', 'escalateAfter'] as const;
